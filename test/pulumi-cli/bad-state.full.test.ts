import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRemote } from '../../cli/remote/remote-engine.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { expectRefused } from '../e2e/expect-refused.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

const timeoutMs = 600_000
const urn = 'urn:pulumi:dev::small::gold:index:Thing::a'
const provider = 'urn:pulumi:dev::small::pulumi:providers:gold::p'

/** Returns an exported state without secrets, with the fields `inputs` as JSON. */
const createExport = (inputs = '{"open": 1}'): string => `{
  "version": 3,
  "deployment": {
    "manifest": {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""},
    "resources": [
      {"urn": "${provider}", "custom": true, "id": "1", "type": "pulumi:providers:gold"},
      {"urn": "${urn}", "custom": true, "id": "a-1", "type": "gold:index:Thing",
       "inputs": ${inputs}, "provider": "${provider}::1"}
    ]
  }
}`

const secret =
  '{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "1"}'

interface BadBody {
  readonly what: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly message: string
  readonly encoding?: string
}

const badBodies: readonly BadBody[] = [
  { what: 'empty', body: '', message: 'truncated, or not JSON in UTF-8' },
  { what: 'truncated', body: createExport().slice(0, 200), message: 'truncated, or not JSON' },
  { what: 'an HTML page', body: '<html>Sign in</html>', message: 'not JSON in UTF-8' },
  {
    what: 'not UTF-8',
    body: Buffer.from(createExport('{"open": "\xe9"}'), 'latin1'),
    message: 'not JSON in UTF-8',
  },
  { what: 'of version 5', body: '{"version":5,"deployment":{}}', message: 'version 5' },
  {
    what: 'with an unknown feature',
    body: '{"version":4,"features":["telepathy"],"deployment":{}}',
    message: 'features: telepathy',
  },
  { what: 'without a deployment', body: '{"version":3}', message: 'needs a state' },
  {
    what: 'with an invalid URN',
    body: createExport().replace(`"urn": "${urn}"`, '"urn": "nonsense"'),
    message: "invalid URN: 'nonsense'",
  },
  {
    what: 'nested too deep',
    body: createExport(`{"a": ${'['.repeat(90_000)}${']'.repeat(90_000)}}`),
    message: 'nested deeper',
  },
  {
    what: 'with a number above the range',
    body: createExport('{"a": 1e400}'),
    message: `a number of ${urn} exceeds the range`,
  },
  {
    what: 'with a secret in plaintext',
    body: createExport(`{"a": ${secret}}`),
    message: `the secrets of ${urn} are not encrypted`,
  },
  {
    what: 'truncated in gzip',
    body: gzipSync(createExport()).subarray(0, 60),
    encoding: 'gzip',
    message: 'cannot be unpacked',
  },
]

/** Texts that a client of the API uploaded as the state of an import. */
const damagedUploads = [
  {
    what: 'a truncated text',
    text: createExport().slice(0, 200),
    code: 'STATE_INVALID',
    message: 'it is truncated: it ends at line 6',
  },
  {
    what: 'a state with a duplicate URN',
    text: createExport().replace(`"urn": "${provider}"`, `"urn": "${urn}"`),
    code: 'STATE_INTEGRITY',
    message: urn,
  },
  {
    what: 'a state of another stack',
    text: createExport().replaceAll('pulumi:dev::', 'pulumi:prod::'),
    code: 'STATE_FOREIGN',
    message: 'urn:pulumi:prod::small::pulumi:providers:gold::p',
  },
] as const

describeWithCommands('an import of a damaged state into a server', [['go', 'version']], () => {
  let client: StockClient
  let before: string
  const exportState = async (): Promise<string> =>
    requireSuccess(await client.antichain(['stack', 'export', '-s', 'dev'])).out
  const importFile = (text: string, ...flags: string[]) => {
    writeFileSync(join(client.sandbox.program, 'state.json'), text)
    return client.pulumi(['stack', 'import', '-s', 'dev', '--file', 'state.json', ...flags])
  }

  beforeAll(async () => {
    client = await openStockClient(buildPulumiCli(cliVersions[0]))
    requireSuccess(await client.pulumi(['stack', 'init', 'dev']))
    requireSuccess(await importFile(createExport()))
    before = await exportState()
  }, timeoutMs)

  afterAll(async () => {
    expect(await exportState()).toBe(before)
    await client.remove()
  })

  test.each(badBodies)('that is $what is refused with the fault', async row => {
    const response = await fetch(`${client.url}/api/stacks/organization/small/dev/import`, {
      method: 'POST',
      body: row.body,
      headers: {
        authorization: `token ${client.token}`,
        ...(row.encoding === undefined ? {} : { 'content-encoding': row.encoding }),
      },
    })
    const { code, message } = (await response.json()) as { code: number; message: string }
    expect([response.status, code]).toEqual([400, 400])
    expect(message).toContain(row.message)
  })

  test.each(damagedUploads)(
    'that was uploaded through the API as $what is refused with the fault',
    async ({ text, code, message }) => {
      const engine = openRemote({ url: client.url, token: client.token })
      const bytes = Buffer.from(text)
      const archive = createHash('sha256').update(bytes).digest('hex')
      const path = '/v1/stacks/small/dev/programs'
      await engine.remote?.uploadArchive(path, { archive, bytes })
      const edit = { kind: 'import', state: archive, force: false } as const
      await expect(engine.editState(stackIdOf('small', 'dev'), edit)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      })
    },
  )

  test('that is valid keeps each byte, also through the API', async () => {
    const home = join(client.sandbox.home, '../remote')
    const run = async (...args: string[]): Promise<string> =>
      requireSuccess(await client.antichain(args, { env: { ANTICHAIN_HOME: home } })).out
    await run('login', client.url, '--token', client.token)
    const text = createExport('{"open": -0, "text": "<\\u2028>", "10": 1, "9": 2}')
    writeFileSync(join(client.sandbox.program, 'state.json'), text)
    await run('stack', 'import', '-s', 'dev', '--file', 'state.json')
    const exported = await run('stack', 'export', '-s', 'dev')
    expect(exported).toContain('"open": -0')
    requireSuccess(await client.antichain(['stack', 'import', '-s', 'dev', '--file', 'state.json']))
    expect(await exportState()).toBe(exported)
    requireSuccess(await importFile(createExport()))
  })

  test("by Pulumi's command line ends there with its own error", async () => {
    const cut = await importFile(createExport().slice(0, 200), '--force')
    expect([cut.exit, cut.err]).toEqual([1, expect.stringContaining('unexpected EOF')])
    const json = JSON.parse(createExport())
    json.deployment.resources.push(json.deployment.resources[1])
    const duplicate = await importFile(JSON.stringify(json))
    expect([duplicate.exit, duplicate.err]).toEqual([1, expect.stringContaining(urn)])
  })

  test('which a user forced keeps deployments from its stack until the state is repaired', async () => {
    const json = JSON.parse(createExport())
    json.deployment.resources.push(json.deployment.resources[1])
    requireSuccess(await importFile(JSON.stringify(json), '--force'))
    const preview = await client.antichain(['preview', '-s', 'dev'])
    expectRefused(preview, 'STATE_INTEGRITY', [`duplicate resource '${urn}'`, 'state repair'])
    requireSuccess(await importFile(createExport()))
  })
})
