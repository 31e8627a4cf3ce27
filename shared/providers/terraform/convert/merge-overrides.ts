import { createHclErrorFactory } from '../hcl/hcl-token.ts'
import type { HclExpression, HclSyntaxBlock, HclSyntaxBody } from '../hcl/syntax.ts'
import type { Declaration, FilePlace, ProgramParts } from './terraform-program.ts'

/**
 * Merges the parts of an override file into a program. An attribute replaces that of the program.
 * Blocks replace all blocks of their type, except those of `lifecycle`, which are merged. Throws
 * TERRAFORM_FILE_INVALID for a part that the program does not declare, or that cannot change.
 */
export function mergeOverrides(program: ProgramParts, overrides: ProgramParts): void {
  const { overrideFiles } = program
  const merge = (kind: string, items: Declaration[], changes: readonly Declaration[]): void => {
    for (const change of changes) mergeDeclaration(kind, items, change, overrideFiles)
  }
  merge('variable', program.variables, overrides.variables)
  merge('output', program.outputs, overrides.outputs)
  merge('resource', program.resources, overrides.resources)
  merge('data source', program.dataSources, overrides.dataSources)
  for (const provider of overrides.providers)
    if (provider.alias !== undefined || findIndex(program.providers, provider) !== -1)
      mergeDeclaration('provider', program.providers, provider, overrideFiles)
    else program.providers.push(provider)
  for (const local of overrides.locals) {
    const index = program.locals.findIndex(({ name }) => name === local.name)
    if (index === -1) throw createMissingError(local, `local value '${local.name}'`)
    program.locals[index] = local
  }
  for (const imported of overrides.imports)
    throw createPlaceError(imported, 'an override file cannot import objects')
  for (const [name, required] of overrides.requiredProviders)
    program.requiredProviders.set(name, required)
  program.notes.push(...overrides.notes)
}

/** Merges a declaration of an override file into the one with the same address. */
function mergeDeclaration<Item extends Declaration>(
  kind: string,
  items: Item[],
  change: Item,
  overrideFiles: ProgramParts['overrideFiles'],
): void {
  const index = findIndex(items, change)
  const item = items[index]
  if (item === undefined) throw createMissingError(change, `${kind} '${describeAddress(change)}'`)
  const dependencies = change.body.attributes.get('depends_on')
  if (dependencies !== undefined)
    throw createPlaceError(
      { ...dependencies, file: change.file },
      'an override file cannot change `depends_on`',
    )
  for (const node of listNodes(change.body)) overrideFiles.set(node, change.file)
  items[index] = { ...item, body: mergeBodies(item.body, change.body) }
}

/** Returns the index of the declaration with the same address, or -1 if there is none. */
function findIndex(items: readonly Declaration[], wanted: Declaration): number {
  return items.findIndex(item => describeAddress(item) === describeAddress(wanted))
}

function describeAddress(
  item: Declaration & { readonly type?: string; readonly alias?: string | undefined },
): string {
  if (item.type !== undefined) return `${item.type}.${item.name}`
  return item.alias === undefined ? item.name : `${item.name}.${item.alias}`
}

/**
 * Returns the attributes and blocks of a body. A `lifecycle` block is replaced by its own
 * attributes and blocks, because they may come from two files after the merge.
 */
function listNodes({
  attributes,
  blocks,
}: HclSyntaxBody): readonly (HclExpression | HclSyntaxBlock)[] {
  return [
    ...attributes.values(),
    ...blocks.flatMap(block => (block.type === 'lifecycle' ? listNodes(block.body) : [block])),
  ]
}

function mergeBodies(base: HclSyntaxBody, change: HclSyntaxBody): HclSyntaxBody {
  const changedTypes = new Set(change.blocks.map(typeOf))
  // In JSON, blocks of a resource have the form of attributes.
  const changedNames = new Set([...change.attributes.keys(), ...changedTypes])
  const remainingAttributes = [...base.attributes].filter(([name]) => !changedTypes.has(name))
  const remainingBlocks = base.blocks.filter(block => !changedNames.has(typeOf(block)))
  const lifecycle = base.blocks.find(({ type }) => type === 'lifecycle')
  return {
    attributes: new Map([...remainingAttributes, ...change.attributes]),
    blocks: [
      ...remainingBlocks,
      ...change.blocks.map(block =>
        block.type === 'lifecycle' && lifecycle !== undefined
          ? { ...block, body: mergeBodies(lifecycle.body, block.body) }
          : block,
      ),
    ],
  }
}

/** Returns the type of a block. That of a `dynamic` block is the type of the blocks it creates. */
function typeOf({ type, labels }: HclSyntaxBlock): string {
  return type === 'dynamic' ? (labels[0] ?? type) : type
}

function createMissingError(place: FilePlace, part: string): Error {
  return createPlaceError(
    place,
    `no other file declares the ${part}. Declare it in a file that is no override file`,
  )
}

function createPlaceError({ file, line, column }: FilePlace, problem: string): Error {
  return createHclErrorFactory(file)({ line, column }, problem)
}
