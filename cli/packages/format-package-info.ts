import type {
  FunctionSpec,
  ObjectSpec,
  PackageSchema,
  ResourceSpec,
  TypeSpec,
} from '../../shared/providers/package-schema/package-schema.ts'
import { formatTable } from '../display/table.ts'

/** Returns the lines that describe a package: its name, its sizes and its modules. */
export function formatPackageInfo(schema: PackageSchema): readonly string[] {
  const modules = new Map<string, { resources: number; functions: number }>()
  const count = (token: string, kind: 'resources' | 'functions'): void => {
    const sizes = modules.get(moduleOfToken(token)) ?? { resources: 0, functions: 0 }
    modules.set(moduleOfToken(token), { ...sizes, [kind]: sizes[kind] + 1 })
  }
  for (const token of Object.keys(schema.resources ?? {})) count(token, 'resources')
  for (const token of Object.keys(schema.functions ?? {})) count(token, 'functions')
  const facts = [
    ['Name', schema.name],
    ['Version', schema.version],
    ['Description', firstLineOf(schema.description)],
    ['Homepage', schema.homepage],
    ['Resources', String(Object.keys(schema.resources ?? {}).length)],
    ['Functions', String(Object.keys(schema.functions ?? {}).length)],
  ]
  const rows = [...modules]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, sizes]) => [name, String(sizes.resources), String(sizes.functions)])
  return [
    ...facts.filter(([, value]) => value).map(([name, value]) => `${name}: ${value}`),
    ...(rows.length === 0 ? [] : ['', ...formatTable(['MODULE', 'RESOURCES', 'FUNCTIONS'], rows)]),
  ]
}

/** Returns the lines that list the resources and functions of a module. */
export function formatModuleInfo(schema: PackageSchema, module: string): readonly string[] {
  const list = (specs: Readonly<Record<string, { description?: string | undefined }>> = {}) =>
    Object.entries(specs)
      .filter(([token]) => moduleOfToken(token) === module)
      .map(([token, { description }]) => [nameOfToken(token), firstLineOf(description)])
  return [
    ...formatSection(['RESOURCE', 'DESCRIPTION'], list(schema.resources)),
    ...formatSection(['FUNCTION', 'DESCRIPTION'], list(schema.functions)),
  ]
}

/** Returns the lines that describe a resource type: its inputs, and its further outputs. */
export function formatResourceInfo(token: string, resource: ResourceSpec): readonly string[] {
  const { inputProperties: inputs = {}, requiredInputs = [], properties = {} } = resource
  const outputs = Object.entries(properties).filter(([name]) => !Object.hasOwn(inputs, name))
  return [
    ...formatHead('Resource', token, resource),
    ...formatProperties('INPUT', { properties: inputs, required: requiredInputs }),
    ...formatProperties('OUTPUT', { properties: Object.fromEntries(outputs) }),
  ]
}

/** Returns the lines that describe a function: its arguments and its results. */
export function formatFunctionInfo(token: string, spec: FunctionSpec): readonly string[] {
  return [
    ...formatHead('Function', token, spec),
    ...formatProperties('INPUT', spec.inputs ?? {}),
    ...formatProperties('OUTPUT', spec.outputs ?? {}),
  ]
}

/** Returns the module of a token, such as `index` of `random:index/randomId:RandomId`. */
export function moduleOfToken(token: string): string {
  return token.split(':')[1]?.split('/')[0] || 'index'
}

/** Returns the name at the end of a token, such as `RandomId` of `random:index/randomId:RandomId`. */
export function nameOfToken(token: string): string {
  return token.split(':').at(-1) ?? token
}

function formatHead(
  kind: string,
  token: string,
  spec: { description?: string | undefined; deprecationMessage?: string | undefined },
): readonly string[] {
  return [
    `${kind}: ${token}`,
    ...(spec.deprecationMessage ? [`Deprecated: ${firstLineOf(spec.deprecationMessage)}`] : []),
    ...(spec.description ? [`Description: ${firstLineOf(spec.description)}`] : []),
  ]
}

function formatProperties(title: string, { properties = {}, required = [] }: ObjectSpec) {
  const rows = Object.entries(properties).map(([name, spec]) => [
    required.includes(name) ? `${name}*` : name,
    formatType(spec),
    firstLineOf(spec.description),
  ])
  return formatSection([title, 'TYPE', 'DESCRIPTION'], rows)
}

function formatSection(head: readonly string[], rows: readonly (readonly string[])[]) {
  return rows.length === 0 ? [] : ['', ...formatTable(head, rows)]
}

function formatType({ type, $ref, items, additionalProperties, oneOf }: TypeSpec): string {
  if (oneOf !== undefined) return oneOf.map(formatType).join(' | ')
  if (items !== undefined) return `${formatType(items)}[]`
  if (additionalProperties !== undefined) return `map(${formatType(additionalProperties)})`
  if ($ref !== undefined) return nameOfToken(decodeURIComponent($ref).replace('pulumi.json#/', ''))
  return type ?? 'any'
}

/** Returns the first line of a text, shortened to at most 100 characters. */
function firstLineOf(text = ''): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
