import { createError } from '../../shared/errors/error.ts'
import { isUrn, type Urn } from '../../shared/names/urn.ts'
import type { ImportFile } from './import-file.ts'

/** One resource from the command line. */
export interface InlineResource {
  /** The arguments of the command: type, name and id. */
  readonly operands: readonly string[]
  readonly properties: readonly string[]
  readonly parent: string | undefined
  readonly provider: string | undefined
}

/** Creates an import file with the one resource of the command line. Throws CLI_USAGE. */
export function createInlineFile({
  operands,
  properties,
  parent,
  provider,
}: InlineResource): ImportFile {
  const [type, name, id, ...extraOperands] = operands
  const missingText = 'an inline resource must be specified if no import file is used, missing '
  if (type === undefined) throw createError('CLI_USAGE', `${missingText}type, name, and id`)
  if (name === undefined) throw createError('CLI_USAGE', `${missingText}name and id`)
  if (id === undefined) throw createError('CLI_USAGE', `${missingText}id`)
  if (extraOperands.length > 0)
    throw createError('CLI_USAGE', 'expected at most three arguments: type, name, and id')
  const parentEntry = parent === undefined ? undefined : parseNamedUrn(parent, 'parent')
  const providerEntry = provider === undefined ? undefined : parseNamedUrn(provider, 'provider')
  if (parentEntry !== undefined && parentEntry.name === providerEntry?.name)
    throw createError(
      'CLI_USAGE',
      `provider and parent must have distinct names, both were '${parentEntry.name}'`,
    )
  const nameTable = [parentEntry, providerEntry].flatMap(entry =>
    entry === undefined ? [] : [[entry.name, entry.urn] as const],
  )
  const resource = {
    type,
    name,
    id,
    parent: parentEntry?.name ?? '',
    provider: providerEntry?.name ?? '',
    version: '',
    pluginDownloadUrl: '',
    properties,
    component: false,
    remote: false,
    logicalName: '',
    inputs: undefined,
    outputs: undefined,
  }
  return { nameTable: Object.fromEntries(nameTable), resources: [resource], providerInputs: {} }
}

/** Parses `name=urn`, or a URN without a name: the name is then `role`. Throws CLI_USAGE. */
function parseNamedUrn(
  spec: string,
  role: 'parent' | 'provider',
): { readonly name: string; readonly urn: Urn } {
  const separator = spec.indexOf('=')
  const [name, urn] =
    separator < 0 ? [role, spec] : [spec.slice(0, separator), spec.slice(separator + 1)]
  if (name !== '' && isUrn(urn)) return { name, urn }
  const lastSeparator = urn.lastIndexOf('::')
  const candidateUrn = lastSeparator < 0 ? '' : urn.slice(0, lastSeparator)
  const hint = isUrn(candidateUrn)
    ? ` (this looks like a provider reference; its URN is '${candidateUrn}')`
    : ''
  throw createError('CLI_USAGE', `invalid ${role} URN: '${urn}': --${role} takes name=urn${hint}`)
}
