import { type CtyPath, createAttributeStep, formatPlace } from './cty-path.ts'
import {
  type AttributeSchema,
  type BlockSchema,
  type NestedBlockSchema,
  impliedTypeOf,
  typeOfAttribute,
} from './schema.ts'
import { createProviderBug } from './provider-bug.ts'
import { containsDynamic } from './type-system.ts'

/** Throws TERRAFORM_PROVIDER_BUG with all flaws if the schema of `subject` contradicts itself. */
export function validateSchema(block: BlockSchema, subject: string): void {
  const flaws = findSchemaFlaws(block)
  if (flaws.length > 0)
    throw createProviderBug(`the schema of ${subject} is invalid: ${flaws.join('; ')}`)
}

/** Returns the flaws of a schema as sentences, each with its path. */
export function findSchemaFlaws(block: BlockSchema, path: CtyPath = []): readonly string[] {
  const flaws = [...block.attributes].flatMap(([name, attribute]) =>
    findAttributeFlaws(attribute, [...path, createAttributeStep(name)]),
  )
  for (const [name, nested] of block.blocks) {
    const blockPath = [...path, createAttributeStep(name)]
    if (block.attributes.has(name))
      flaws.push(`the name of an attribute is also the name of a block${formatPlace(blockPath)}`)
    if (!/^[a-z0-9_]+$/.test(name))
      flaws.push(
        `the name of a block has other characters than a-z, 0-9 and _${formatPlace(blockPath)}`,
      )
    const reason = findNestingFlaw(nested)
    if (reason !== undefined) flaws.push(`${reason}${formatPlace(blockPath)}`)
    flaws.push(...findSchemaFlaws(nested.block, blockPath))
  }
  return flaws
}

function findNestingFlaw({
  block,
  nesting,
  minItems,
  maxItems,
}: NestedBlockSchema): string | undefined {
  if (minItems < 0 || maxItems < 0) return 'a limit of the number of blocks is negative'
  switch (nesting) {
    case 'single':
      if (minItems > 1 || maxItems > 1) return 'a single block has a limit above 1 block'
      return undefined
    case 'group':
    case 'map':
      return minItems + maxItems > 0
        ? `a ${nesting} block has a limit of its number of blocks`
        : undefined
    case 'list':
    case 'set':
      if (maxItems > 0 && minItems > maxItems)
        return 'the smallest number of blocks exceeds the largest'
      return nesting === 'set' && containsDynamic(impliedTypeOf(block))
        ? 'a set block has a part of dynamic type'
        : undefined
  }
}

function findAttributeFlaws(attribute: AttributeSchema, path: CtyPath): readonly string[] {
  const { isRequired, isOptional, isComputed, isWriteOnly } = attribute
  const flaws: string[] = []
  const addFlaw = (reason: string): void => void flaws.push(`${reason}${formatPlace(path)}`)
  if (!isRequired && !isOptional && !isComputed)
    addFlaw('an attribute is neither required nor optional nor computed')
  if (isRequired && (isOptional || isComputed))
    addFlaw('a required attribute is also optional or computed')
  if (isWriteOnly && isComputed) addFlaw('a write-only attribute is also computed')
  if (attribute.kind === 'plain') return flaws
  if (attribute.nested.nesting === 'set' && containsDynamic(typeOfAttribute(attribute)))
    addFlaw('a set of objects has a part of dynamic type')
  for (const [name, nested] of attribute.nested.attributes)
    flaws.push(...findAttributeFlaws(nested, [...path, createAttributeStep(name)]))
  return flaws
}
