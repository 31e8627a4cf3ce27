import type { HclExpression, HclSyntaxBody } from '../hcl/syntax.ts'
import type { ConversionNote, FilePlace, RequiredProvider } from './terraform-program.ts'

/** Returns the text of an expression without interpolations, or undefined. */
export function readLiteralText(expression: HclExpression): string | undefined {
  if (expression.kind !== 'template') return undefined
  const [text = '', ...others] = expression.parts
  return typeof text === 'string' && others.length === 0 ? text : undefined
}

/** Reads the block `terraform`: the required providers. Other parts become notes. */
export function readProviderRequirements(
  { blocks }: HclSyntaxBody,
  place: FilePlace,
  parts: {
    readonly requiredProviders: Map<string, RequiredProvider>
    readonly notes: ConversionNote[]
  },
): void {
  for (const block of blocks) {
    if (block.type === 'required_providers')
      for (const [name, value] of block.body.attributes)
        parts.requiredProviders.set(name, readRequirement(name, value))
    else
      parts.notes.push({
        ...{ ...place, line: block.line, column: block.column },
        problem: `the block '${block.type}' has no equivalent in a program`,
        advice: 'Choose the place of the state with `antichain login`.',
      })
  }
}

function readRequirement(name: string, value: HclExpression): RequiredProvider {
  const source = `hashicorp/${name}`
  const text = readLiteralText(value)
  if (text !== undefined) return { source, version: text }
  if (value.kind !== 'object') return { source, version: '' }
  const fields = new Map(
    value.items.map(item => [readLiteralText(item.key), readLiteralText(item.value)]),
  )
  return { source: fields.get('source') ?? source, version: fields.get('version') ?? '' }
}
