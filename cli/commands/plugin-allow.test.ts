import { expect, test } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { allowPluginSource, disallowPluginSource } from './plugin-allow.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: { readonly source: string; readonly credential?: string }
}

/** Creates a session with a login to an API that stores sources. */
function createSession(env: Readonly<Record<string, string>> = {}) {
  const sources = new Map<string, string>()
  const bodies: unknown[] = []
  const lines: string[] = []
  const callApi = async ({ method, path, body }: Call): Promise<unknown> => {
    const name = path.slice('/v1/plugin-sources/'.length)
    if (method === 'PUT') sources.set(name, body?.source ?? '')
    if (method === 'PUT') bodies.push(body)
    if (method === 'DELETE') sources.delete(name)
    const items = [...sources].map(([key, source]) => ({
      name: key,
      value: { source, hasCredential: false },
    }))
    return { items }
  }
  const session = {
    openEngine: () => Promise.resolve({ remote: {}, callApi }),
    print: (line: string) => lines.push(line),
    printToStderr: () => undefined,
    io: { env },
  } as unknown as CliSession
  return { session, sources, bodies, lines }
}

const flags = { isSet: () => false } as unknown as Flags

test('plugin allow stores each source once under a readable name, and plugin allow ls shows them', async () => {
  const { session, sources, lines } = createSession()
  for (const source of ['pulumi/*', 'pulumi/*', 'a/b*', 'a.b*'])
    await allowPluginSource(session, flags, [source])
  expect([...sources]).toEqual([
    ['pulumi.any', 'pulumi/*'],
    ['a.bany', 'a/b*'],
    ['a.bany-2', 'a.b*'],
  ])
  await allowPluginSource(session, flags, ['ls'])
  expect(lines.map(line => line.trim().split(/\s+/)[0])).toEqual([
    'SOURCE',
    'pulumi/*',
    'a/b*',
    'a.b*',
  ])
})

test('plugin allow sends the credential of its variable', async () => {
  const { session, bodies } = createSession({ ANTICHAIN_CREDENTIAL: 'c' })
  await allowPluginSource(session, flags, ['acme/*'])
  expect(bodies).toEqual([{ source: 'acme/*', credential: 'c' }])
})

test('plugin disallow removes a source, and refuses an unknown one', async () => {
  const { session, sources } = createSession()
  await allowPluginSource(session, flags, ['pulumi/*'])
  const unknown = disallowPluginSource(session, flags, ['acme/*'])
  await expect(unknown).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' })
  await disallowPluginSource(session, flags, ['pulumi/*'])
  expect([...sources]).toEqual([])
})
