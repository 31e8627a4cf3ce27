import type { HclSyntaxBlock, HclSyntaxBody } from '../hcl/syntax.ts'
import type { PropertyName, PropertyNames } from '../mapping/property-names.ts'
import { propertyNamesOf } from '../mapping/property-names.ts'
import type { BlockSchema, NestedBlockSchema } from '../values/schema.ts'
import { toBlocks } from './block-bodies.ts'
import {
  toElementShape,
  enterFile,
  createFreeExpression,
  printPlaceholder,
  printOperand,
  type PrintScope,
} from './conversion.ts'
import { reportPossibleSet } from './print-iteration.ts'
import { printKey, type PrintedAttribute, printList, printObject } from './print-text.ts'
import { printValue } from './print-value.ts'

/** A block's schema, if it is known, and the names of its properties. */
export interface BodySchema {
  readonly block: Pick<BlockSchema, 'blocks'> | undefined
  readonly names: PropertyNames
}

/**
 * Prints the attributes and blocks of a body as properties. Names in `reserved` are left out. An
 * unknown name is reported.
 */
export function printBody(
  body: HclSyntaxBody,
  { block, names }: BodySchema,
  scope: PrintScope,
  reserved: readonly string[] = [],
): readonly PrintedAttribute[] {
  const { attributes, blocks } = toSchemaBlocks(body, block, reserved)
  const printed: PrintedAttribute[] = []
  for (const [tfName, value] of attributes) {
    if (reserved.includes(tfName)) continue
    const property = names.toPulumi.get(tfName)
    if (property === undefined) {
      reportUnknown(tfName, value, enterFile(value, scope))
      continue
    }
    const { text } = printValue(value, property.shape, enterFile(value, scope))
    printed.push({ name: property.name, text })
  }
  for (const [tfName, group] of groupBlocks(blocks, reserved)) {
    const property = names.toPulumi.get(tfName)
    const [first] = group
    if (property === undefined || first === undefined) {
      if (first !== undefined) reportUnknown(tfName, first.block, enterFile(first.block, scope))
      continue
    }
    const nested = block?.blocks.get(tfName)
    const inner = enterFile(first.block, scope)
    printed.push({ name: property.name, text: printBlocks(group, property, nested, inner) })
  }
  return printed
}

/** Replaces attributes that stand for blocks of the schema, as in JSON, by these blocks. */
function toSchemaBlocks(
  { attributes, blocks }: HclSyntaxBody,
  schema: BodySchema['block'],
  reserved: readonly string[],
): HclSyntaxBody {
  const remainingAttributes = new Map(attributes)
  const addedBlocks: HclSyntaxBlock[] = []
  for (const [name, value] of attributes) {
    const nested = reserved.includes(name) ? undefined : schema?.blocks.get(name)
    const found = nested === undefined ? undefined : toBlocks(name, value, nested.nesting === 'map')
    if (found === undefined) continue
    remainingAttributes.delete(name)
    addedBlocks.push(...found)
  }
  return { attributes: remainingAttributes, blocks: [...blocks, ...addedBlocks] }
}

function reportUnknown(
  name: string,
  { line, column }: { readonly line: number; readonly column: number },
  { conversion, file }: PrintScope,
): void {
  conversion.report({
    file,
    line,
    column,
    problem: `the schema of the provider has no '${name}'`,
    advice: 'Remove the setting, or choose the version of the provider that has it.',
  })
}

/** A block, or the `dynamic` block that stands for several ones. */
interface GroupedBlock {
  readonly block: HclSyntaxBlock
  readonly isDynamic: boolean
}

/** Returns the blocks by their type, and the dynamic ones by the type that they create. */
function groupBlocks(
  blocks: readonly HclSyntaxBlock[],
  reserved: readonly string[],
): ReadonlyMap<string, readonly GroupedBlock[]> {
  const groups = new Map<string, GroupedBlock[]>()
  for (const block of blocks) {
    const isDynamic = block.type === 'dynamic'
    const type = isDynamic ? (block.labels[0] ?? '') : block.type
    if (reserved.includes(type)) continue
    groups.set(type, [...(groups.get(type) ?? []), { block, isDynamic }])
  }
  return groups
}

function printBlocks(
  group: readonly GroupedBlock[],
  property: PropertyName,
  nested: NestedBlockSchema | undefined,
  scope: PrintScope,
): string {
  const shape =
    nested?.nesting === 'single' || nested?.nesting === 'group'
      ? property.shape
      : toElementShape(property.shape)
  const names = shape.kind === 'object' ? shape.names : undefined
  const [first] = group
  if (first === undefined) return '[]'
  if (names === undefined) {
    const problem = `the blocks '${first.block.type}' stand for a value of another type`
    return printPlaceholder(first.block, problem, scope).text
  }
  const schema = {
    block: nested?.block,
    names: nested === undefined ? names : propertyNamesOf(nested.block),
  }
  const print = ({ body }: HclSyntaxBlock, inner: PrintScope): string =>
    printObject(printBody(body, schema, inner))
  if (first.isDynamic) return printDynamic(group, property, scope, print)
  if (nested?.nesting === 'map')
    return printObject(
      group.map(({ block }) => ({
        name: printKey(block.labels[0] ?? ''),
        text: print(block, scope),
      })),
    )
  // A block with the nesting `single` or `group` has the shape of the property itself.
  const isObject = property.isFlattened || shape === property.shape
  if (group.some(({ isDynamic }) => isDynamic) || (isObject && group.length > 1)) {
    const problem = `the blocks '${first.block.type}' have no common form`
    return printPlaceholder(first.block, problem, scope).text
  }
  return isObject
    ? print(first.block, scope)
    : printList(group.map(({ block }) => print(block, scope)))
}

/** Prints a `dynamic` block as a `for` expression. */
function printDynamic(
  group: readonly GroupedBlock[],
  property: PropertyName,
  scope: PrintScope,
  print: (block: HclSyntaxBlock, scope: PrintScope) => string,
): string {
  const [first] = group
  if (first === undefined) return '[]'
  const { block } = first
  const collection = block.body.attributes.get('for_each')
  const content = block.body.blocks.find(({ type }) => type === 'content')
  const isMap = property.shape.kind === 'map'
  if (group.length > 1 || collection === undefined || content === undefined || isMap)
    return printPlaceholder(block, 'this dynamic block has no equivalent', scope).text
  const iterator = block.body.attributes.get('iterator')
  const name = iterator?.kind === 'name' ? iterator.name : (block.labels[0] ?? 'entry')
  const items = printOperand(collection, scope)
  const value = `${name}Value`
  // The key of an element of a set is the element itself.
  const isSet = items.shape.kind === 'set'
  const key = isSet ? value : `${name}Key`
  const iteration = new Map([
    ...(scope.iteration ?? []),
    [`${name}.key`, createFreeExpression(key)] as const,
    [`${name}.value`, { text: value, shape: toElementShape(items.shape) }] as const,
  ])
  const inner = { ...scope, iteration }
  const printed = print(content, inner)
  if (!isSet && printed.includes(key)) reportPossibleSet(collection, items, scope)
  const names = isSet ? value : `${key}, ${value}`
  const text = `[for ${names} in ${items.text} : ${printed}]`
  const isObject = property.isFlattened || property.shape.kind === 'object'
  return isObject ? `singleOrNone(${text})` : text
}
