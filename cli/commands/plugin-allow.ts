import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'
import { requireApi } from '../remote/require-api.ts'

const sourcesPath = '/v1/plugin-sources'

/** Maximum length of a name before a suffix such as `-2`. A document's name has at most 100. */
const nameCharsMax = 90

const sourceForm = z.object({
  name: z.string(),
  value: z.object({ source: z.string(), hasCredential: z.boolean() }),
})

/** Returns the API of the login. Throws LOGIN_MISSING. */
function requireSourcesApi(session: CliSession) {
  return requireApi(
    session,
    'allowed sources of plugins require',
    'Run `antichain login <address>`. Deployments on this machine download plugins as Pulumi does.',
  )
}

/** `plugin allow ls`: lists the sources from which the functions of the API download plugins. */
export const listPluginSources: Handler = async (session, flags) => {
  const sources = await listAllItems(await requireSourcesApi(session), sourcesPath, sourceForm)
  if (flags.isSet('json')) {
    session.print(JSON.stringify(sources, null, 2))
    return 0
  }
  const rows = sources.map(({ value }) => [value.source, value.hasCredential ? 'yes' : 'no'])
  for (const line of formatTable(['SOURCE', 'CREDENTIAL'], rows)) session.print(line)
  return 0
}

/**
 * `plugin allow`: lets the functions of the API download plugins from a source. `plugin allow ls`
 * lists the sources. ANTICHAIN_CREDENTIAL is stored as the credential of the source.
 */
export const allowPluginSource: Handler = async (session, flags, operands) => {
  const [source = ''] = operands
  if (source === 'ls' || source === 'list') return listPluginSources(session, flags, operands)
  const api = await requireSourcesApi(session)
  const knownSources = await listAllItems(api, sourcesPath, sourceForm)
  const credential = session.io.env['ANTICHAIN_CREDENTIAL'] ?? ''
  const name =
    knownSources.find(({ value }) => value.source === source)?.name ??
    chooseSourceName(source, knownSources)
  await api.callApi({
    method: 'PUT',
    path: `${sourcesPath}/${encodeURIComponent(name)}`,
    body: { source, ...(credential === '' ? {} : { credential }) },
  })
  session.printToStderr(`Functions may download plugins from ${source}.`)
  return 0
}

/** `plugin disallow`: ends the downloads from a source. Stored plugins remain. */
export const disallowPluginSource: Handler = async (session, _flags, [source = '']) => {
  const api = await requireSourcesApi(session)
  const knownSources = await listAllItems(api, sourcesPath, sourceForm)
  const allowedSource = knownSources.find(({ value }) => value.source === source)
  if (allowedSource === undefined)
    throw createError('DOCUMENT_UNKNOWN', `the source ${source} is not allowed`, {
      hint: 'List the allowed sources with `antichain plugin allow ls`.',
    })
  await api.callApi({
    method: 'DELETE',
    path: `${sourcesPath}/${encodeURIComponent(allowedSource.name)}`,
  })
  session.printToStderr(`Functions no longer download plugins from ${source}.`)
  return 0
}

/** Returns an unused name for the document of a source. The audit log shows this name. */
function chooseSourceName(
  source: string,
  knownSources: readonly z.infer<typeof sourceForm>[],
): string {
  const text = source
    .replaceAll('*', 'any')
    .replaceAll(/[^\w.-]+/g, '.')
    .slice(0, nameCharsMax)
  const names = new Set(knownSources.map(({ name }) => name))
  const candidates = [text, ...knownSources.map((_, index) => `${text}-${index + 2}`)]
  return candidates.find(candidate => !names.has(candidate)) ?? text
}
