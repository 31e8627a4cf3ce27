import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { credentials, type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  GetSchemaRequest,
  type GetSchemaResponse,
  LoaderClient,
} from '../../../proto/gen/pulumi/codegen/loader.ts'
import { DiagnosticSeverity } from '../../../proto/gen/pulumi/codegen/hcl.ts'
import {
  type GenerateProgramRequest,
  GenerateProgramResponse,
  LanguageRuntimeService,
} from '../../../proto/gen/pulumi/language.ts'
import { type CommandBench, createCommandBench } from '../backends/command-bench.ts'

const gold = resolve(import.meta.dirname, '../../golden/provider')
const snippet = {
  uuid: 'u1',
  name: 'bucket',
  type: 'gold:index:Thing',
  code: 'v = "1"\n',
  descriptor: { name: 'gold' },
}
const urn = 'urn:pulumi:dev::shop::gold:index:Thing::bucket'

const modules = resolve(import.meta.dirname, '../../fixtures/sdk/node_modules')
let bench: CommandBench
let server: Server
beforeEach(() => {
  vi.stubEnv('GOLD_NODE_PATH', modules)
  bench = createCommandBench()
  server = new Server()
})
afterEach(() => {
  vi.unstubAllEnvs()
  server.forceShutdown()
  rmSync(bench.root, { recursive: true, force: true })
})

const run = async (...args: string[]): Promise<string> => {
  const { exit, out, err } = await bench.run(...args)
  if (exit !== 0) throw new Error(`${args.join(' ')}: ${err}`)
  return out
}

/** Reads the schema of `gold` from the loader that the request names. */
function readSchema({ loaderTarget }: GenerateProgramRequest): Promise<string> {
  const client = new LoaderClient(loaderTarget, credentials.createInsecure())
  const request = GetSchemaRequest.create({ package: 'gold' })
  return new Promise((done, fail) =>
    client.getSchema(request, (failure: Error | null, response: GetSchemaResponse) => {
      client.close()
      if (failure === null) done(Buffer.from(response.schema).toString())
      else fail(failure)
    }),
  )
}

/** Serves a language host, and writes a project that uses this host and the provider `gold`. */
async function writeProject(
  createReply: (request: GenerateProgramRequest) => Promise<GenerateProgramResponse>,
): Promise<void> {
  server.addService(LanguageRuntimeService, {
    generateProgram: (
      call: { request: GenerateProgramRequest },
      reply: sendUnaryData<GenerateProgramResponse>,
    ) => void createReply(call.request).then(response => reply(null, response), reply),
  })
  const port = await new Promise<number>((done, fail) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, bound) =>
      failure === null ? done(bound) : fail(failure),
    ),
  )
  const runtime = `{name: client, options: {address: '127.0.0.1:${port}'}}`
  const plugins = `plugins: {providers: [{name: gold, path: '${gold}'}]}`
  writeFileSync(join(bench.root, 'Pulumi.yaml'), `name: shop\nruntime: ${runtime}\n${plugins}\n`)
}

async function importSnippet(): Promise<void> {
  const resource = { urn, custom: false, type: 'gold:index:Thing', snippetID: 'u1' }
  const deployment = {
    manifest: { time: '2026-01-01T00:00:00Z', magic: '', version: '' },
    metadata: {},
    resources: [resource],
    snippets: [snippet],
  }
  const file = join(bench.root, 'state.json')
  const envelope = { version: 3, features: ['snippets-prototype'], deployment }
  writeFileSync(file, JSON.stringify(envelope))
  await run('stack', 'init', 'dev')
  await run('stack', 'import', '--file', file)
}

const exportState = async (): Promise<unknown> =>
  (JSON.parse(await run('stack', 'export')) as { deployment: unknown }).deployment

test('state promote prints the code of a snippet, and protects its resources', async () => {
  await writeProject(async request => {
    const types = Object.keys(JSON.parse(await readSchema(request)).resources as object)
    const source = { 'b.txt': types.join(' '), 'a.txt': [...request.source.values()].join('') }
    return GenerateProgramResponse.create({
      source: new Map(Object.entries(source).map(([name, text]) => [name, Buffer.from(text)])),
    })
  })
  await importSnippet()
  const unknown = await bench.run('state', 'promote', 'none')
  expect([unknown.exit, unknown.err]).toEqual([1, expect.stringContaining('SNIPPET_UNKNOWN')])
  expect(await exportState()).toMatchObject({ snippets: [snippet] })
  expect(
    await run('state', 'promote', 'bucket', '--yes'),
  ).toBe(`Generated code for snippet "bucket":

a.txt
=====
resource "bucket" "gold:index:Thing" {
\tv = "1"
}

b.txt
=====
gold:index:Thing gold:index:Other

Snippet "bucket" promoted from state; 1 resource(s) retained
`)
  const state = await exportState()
  expect(state).toMatchObject({ resources: [{ urn, protect: true }] })
  expect(JSON.stringify(state)).not.toMatch(/snippet/i)
})

test('state promote changes nothing when the host reports an error', async () => {
  const diagnostic = { severity: DiagnosticSeverity.DIAG_ERROR, summary: 'unknown type' }
  await writeProject(() =>
    Promise.resolve(GenerateProgramResponse.create({ diagnostics: [diagnostic] })),
  )
  await importSnippet()
  const refused = await bench.run('state', 'promote', 'bucket', '--yes')
  expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('unknown type')])
  expect(refused.err).toContain('CODE_GENERATION_FAILED')
  expect(await exportState()).toMatchObject({ snippets: [snippet] })
})
