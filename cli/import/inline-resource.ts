import { error } from '../../shared/errors/error.ts'
import { isUrn, type Urn } from '../../shared/names/urn.ts'
import type { ImportFile } from './import-file.ts'

/** One resource given on the command line. */
export interface InlineResource {
  readonly operands: readonly string[]
  readonly properties: readonly string[]
  readonly parent: string | undefined
  readonly provider: string | undefined
}

/** Creates the import file of one resource on the command line. Throws CLI_USAGE. */
export function createInlineFile({
  operands,
  properties,
  parent,
  provider,
}: InlineResource): ImportFile {
  const [type, name, id, ...more] = operands
  const missing = 'an inline resource must be specified if no import file is used, missing '
  if (type === undefined) throw error('CLI_USAGE', `${missing}type, name, and id`)
  if (name === undefined) throw error('CLI_USAGE', `${missing}name and id`)
  if (id === undefined) throw error('CLI_USAGE', `${missing}id`)
  if (more.length > 0) throw error('CLI_USAGE', 'only expected at most three arguments')
  const above = parent === undefined ? undefined : parseNamedUrn(parent, 'parent')
  const by = provider === undefined ? undefined : parseNamedUrn(provider, 'provider')
  if (above !== undefined && above.name === by?.name)
    throw error(
      'CLI_USAGE',
      `provider and parent must have distinct names, both were '${above.name}'`,
    )
  const table = [above, by].flatMap(one =>
    one === undefined ? [] : [[one.name, one.urn] as const],
  )
  const resource = {
    type,
    name,
    id,
    parent: above?.name ?? '',
    provider: by?.name ?? '',
    version: '',
    pluginDownloadUrl: '',
    properties,
    component: false,
    remote: false,
    logicalName: '',
    inputs: undefined,
    outputs: undefined,
  }
  return { nameTable: Object.fromEntries(table), resources: [resource], providerInputs: {} }
}

/** Parses `name=urn`, or a URN without a name, which gets a default name. Throws CLI_USAGE. */
function parseNamedUrn(
  spec: string,
  usual: 'parent' | 'provider',
): { readonly name: string; readonly urn: Urn } {
  const at = spec.indexOf('=')
  const [name, urn] = at < 0 ? [usual, spec] : [spec.slice(0, at), spec.slice(at + 1)]
  if (name !== '' && isUrn(urn)) return { name, urn }
  const reference = urn.lastIndexOf('::')
  const before = reference < 0 ? '' : urn.slice(0, reference)
  const hint = isUrn(before)
    ? ` (this looks like a provider reference; its URN is '${before}')`
    : ''
  throw error('CLI_USAGE', `invalid ${usual} URN: '${urn}': --${usual} takes name=urn${hint}`)
}
