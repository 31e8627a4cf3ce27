import type { HclExpression, HclPlace, HclSyntaxBody } from '../hcl/syntax.ts'
import type { ConversionNote, FilePlace, RequiredProvider } from './terraform-program.ts'

/**
 * Returns the text of a template without interpolations. Returns undefined for other expressions.
 */
export function readLiteralText(expression: HclExpression): string | undefined {
  if (expression.kind !== 'template') return undefined
  const [text = '', ...others] = expression.parts
  return typeof text === 'string' && others.length === 0 ? text : undefined
}

/** Advice for parts of the block `terraform` without an equivalent. Others get general advice. */
const adviceByPart: ReadonlyMap<string, string> = new Map([
  ['backend', 'Choose the place of the state with `antichain login`.'],
  ['cloud', 'Choose the place of the state with `antichain login`.'],
  ['provider_meta', 'Write the metadata into the parameter `providerMeta` of the package.'],
  ['required_version', 'No step is needed, because Terraform does not run the new program.'],
])

/** Reads the block `terraform`: the required providers. Other parts become notes. */
export function readProviderRequirements(
  { attributes, blocks }: HclSyntaxBody,
  place: FilePlace,
  parts: {
    readonly requiredProviders: Map<string, RequiredProvider>
    readonly notes: ConversionNote[]
  },
): void {
  const addNote = (part: string, name: string, { line, column }: HclPlace): void => {
    const advice = adviceByPart.get(name) ?? 'Write its effect into the new program by hand.'
    const problem = `the ${part} '${name}' has no equivalent in a program`
    parts.notes.push({ ...place, line, column, problem, advice })
  }
  for (const [name, value] of attributes) addNote('attribute', name, value)
  for (const block of blocks) {
    if (block.type === 'required_providers')
      for (const [name, value] of block.body.attributes)
        parts.requiredProviders.set(name, readRequirement(name, value))
    else addNote('block', block.type, block)
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
