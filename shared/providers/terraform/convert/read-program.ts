import { createError } from '../../../errors/error.ts'
import { parseHclBody } from '../hcl/parse-hcl-body.ts'
import type { HclExpression, HclSyntaxBlock, HclSyntaxBody } from '../hcl/syntax.ts'
import type {
  ConversionNote,
  Declaration,
  FilePlace,
  LocalValue,
  ProgramParts,
  TerraformProgram,
} from './terraform-program.ts'
import { mergeOverrides } from './merge-overrides.ts'
import { parseJsonProgram, parseJsonValues } from './parse-json-file.ts'
import { readLiteralText, readProviderRequirements } from './read-requirements.ts'

/** A file of a program: `*.tf`, or `*.tfvars` with values of variables. Each may be JSON. */
export interface ProgramFile {
  readonly name: string
  readonly text: string
}

/**
 * Reads the files of a program. Override files are merged in the order of their names. Adds the
 * providers that types need and the program does not name. Throws TERRAFORM_FILE_INVALID for a
 * syntax error, for a name that is declared twice, and for an override without a base.
 */
export function readTerraformProgram(files: readonly ProgramFile[]): TerraformProgram {
  const parts = createParts()
  for (const file of files.filter(({ name }) => !isOverrideFile(name))) readFile(file, parts)
  requireUniqueNames(parts)
  for (const file of files.filter(({ name }) => isOverrideFile(name))) {
    const overrides = createParts()
    readFile(file, overrides)
    mergeOverrides(parts, overrides)
  }
  addImpliedProviders(parts)
  return parts
}

/** Reports whether a file changes blocks of other files. */
function isOverrideFile(name: string): boolean {
  return /(?:^|_)override\.tf(?:\.json)?$/.test(name)
}

function createParts(): ProgramParts {
  return {
    variables: [],
    locals: [],
    resources: [],
    dataSources: [],
    outputs: [],
    providers: [],
    imports: [],
    requiredProviders: new Map(),
    values: new Map(),
    notes: [],
    overrideFiles: new Map(),
  }
}

function readFile({ name, text }: ProgramFile, parts: ProgramParts): void {
  const source = text.replace(/^\u{FEFF}/u, '')
  if (/\.tfvars(?:\.json)?$/.test(name)) {
    const parse = name.endsWith('.json') ? parseJsonValues : parseHclBody
    readValues(parse(source, name), name, parts)
    return
  }
  const body = name.endsWith('.json')
    ? parseJsonProgram(source, name, labelCounts)
    : parseHclBody(source, name)
  for (const block of body.blocks) readBlock(block, name, parts)
  const [stray] = body.attributes
  if (stray !== undefined) throw createPlaceError(name, stray[1], `'${stray[0]}' is in no block`)
}

/** Creates the error for a place of a file. */
function createPlaceError(file: string, place: HclExpression | FilePlace, problem: string): Error {
  const at = `${file}:${place.line}:${place.column}`
  return createError('TERRAFORM_FILE_INVALID', `cannot read ${at}: ${problem}`)
}

function readValues(body: HclSyntaxBody, file: string, { values }: ProgramParts): void {
  for (const [name, value] of body.attributes) {
    const { line, column } = value
    values.set(name, { file, line, column, name, value })
  }
}

/** The number of labels of each block, which must be exact. */
const labelCounts: ReadonlyMap<string, number> = new Map(
  Object.entries({
    terraform: 0,
    locals: 0,
    import: 0,
    moved: 0,
    removed: 0,
    variable: 1,
    output: 1,
    provider: 1,
    module: 1,
    check: 1,
    resource: 2,
    data: 2,
    ephemeral: 2,
    action: 2,
  }),
)

function readBlock(block: HclSyntaxBlock, file: string, parts: ProgramParts): void {
  const { type, labels, body, line, column } = block
  const [first = '', second = ''] = labels
  const place = { file, line, column }
  const count = labelCounts.get(type)
  if (count === undefined) throw createPlaceError(file, { ...place }, `'${type}' is no block`)
  if (labels.length !== count)
    throw createPlaceError(
      file,
      { ...place },
      `a block '${type}' must have ${count === 1 ? '1 label' : `${count} labels`}`,
    )
  switch (type) {
    case 'variable':
      parts.variables.push({ ...place, name: first, body })
      break
    case 'output':
      parts.outputs.push({ ...place, name: first, body })
      break
    case 'resource':
      parts.resources.push({ ...place, type: first, name: second, body })
      break
    case 'data':
      parts.dataSources.push({ ...place, type: first, name: second, body })
      break
    case 'provider':
      parts.providers.push({ ...place, name: first, alias: readAlias(body), body })
      break
    case 'locals':
      for (const [name, value] of body.attributes)
        parts.locals.push({ file, line: value.line, column: value.column, name, value })
      break
    case 'terraform':
      readProviderRequirements(body, place, parts)
      break
    case 'import':
      readImport(body, place, parts)
      break
    default:
      parts.notes.push({ ...place, ...describeOtherBlock(type, first) })
  }
}

function readAlias(body: HclSyntaxBody): string | undefined {
  const alias = body.attributes.get('alias')
  return alias === undefined ? undefined : readLiteralText(alias)
}

function readImport(body: HclSyntaxBody, place: FilePlace, parts: ProgramParts): void {
  const to = body.attributes.get('to')
  const id = body.attributes.get('id')
  if (to?.kind === 'attribute' && to.source.kind === 'name' && id !== undefined)
    parts.imports.push({ ...place, address: `${to.source.name}.${to.name}`, id })
  else
    parts.notes.push({
      ...place,
      problem: 'this import block has no equivalent',
      advice: 'Import the object with `antichain import` before the first deployment.',
    })
}

function describeOtherBlock(
  type: string,
  name: string,
): Pick<ConversionNote, 'problem' | 'advice'> {
  switch (type) {
    case 'module':
      return {
        problem: `the module '${name}' was not converted`,
        advice: 'Convert the folder of the module, and write it as a component.',
      }
    case 'moved':
      return {
        problem: "a block 'moved' was not converted",
        advice: 'Add the old name to the option `aliases` of the resource.',
      }
    case 'removed':
      return {
        problem: "a block 'removed' was not converted",
        advice: 'Remove the object from the stack with `antichain state delete`.',
      }
    default:
      return {
        problem: `the block '${type}${name === '' ? '' : ` ${name}`}' has no equivalent`,
        advice: 'Write its effect into the new program by hand.',
      }
  }
}

function requireUniqueNames(parts: ProgramParts): void {
  const kinds: Readonly<Record<string, readonly (Declaration | LocalValue)[]>> = {
    variable: parts.variables,
    local: parts.locals,
    output: parts.outputs,
  }
  const typed = [...parts.resources, ...parts.dataSources.map(item => ({ ...item, isData: true }))]
  const addresses = [
    ...Object.entries(kinds).flatMap(([kind, items]) =>
      items.map(item => ({ item, address: `${kind} '${item.name}'` })),
    ),
    ...typed.map(item => ({
      item,
      address: `${'isData' in item ? 'data source' : 'resource'} '${item.type}.${item.name}'`,
    })),
  ]
  const seen = new Set<string>()
  for (const { item, address } of addresses) {
    if (seen.has(address)) throw createPlaceError(item.file, item, `the ${address} exists twice`)
    seen.add(address)
  }
}

/**
 * Adds the provider of each resource and data source, if the program does not require this
 * provider. An added provider has the namespace `hashicorp`.
 */
function addImpliedProviders({ requiredProviders, resources, dataSources }: ProgramParts): void {
  for (const { type, body } of [...resources, ...dataSources]) {
    const provider = localProviderOf(type, body)
    if (provider !== 'terraform' && !requiredProviders.has(provider))
      requiredProviders.set(provider, { source: `hashicorp/${provider}`, version: '' })
  }
}

/** Returns the local name of the provider of a resource or data source. */
export function localProviderOf(type: string, body: HclSyntaxBody): string {
  const provider = body.attributes.get('provider')
  if (provider?.kind === 'name') return provider.name
  if (provider?.kind === 'attribute' && provider.source.kind === 'name') return provider.source.name
  return type.split('_')[0] ?? type
}
