import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import {
  LanguageRuntimeService as service,
  type RunPluginResponse,
} from '../../../proto/gen/pulumi/language.ts'
import { runPluginByHost } from './run-plugin-by-host.ts'

type Output = NonNullable<RunPluginResponse['output']>
type RunPluginCall = ServerWritableStream<unknown, { readonly output: Output }>

/** Serves a language runtime that runs plugins with `runPlugin`. Returns its port. */
async function serveRuntime(runPlugin: (call: RunPluginCall) => void): Promise<number> {
  const server = new Server()
  const handshake = (_call: unknown, reply: (failure: null, response: object) => void) =>
    reply(null, {})
  server.addService(service, { handshake, runPlugin })
  onTestFinished(() => server.forceShutdown())
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, port) =>
      failure === null ? resolve(port) : reject(failure),
    )
  })
}

const toOutput = ($case: 'stdout' | 'stderr', line: string): Output => ({
  $case,
  value: Buffer.from(line),
})

test('runPluginByHost drops the output that a plugin sends after its exit code', async () => {
  const sent = Promise.withResolvers<void>()
  const port = await serveRuntime(call => {
    call.write({ output: toOutput('stdout', 'started\n') })
    call.write({ output: { $case: 'exitcode', value: 3 } })
    // The server finishes this much output only after the client has received nearly all of it.
    for (let count = 0; count < 20; count += 1)
      for (const stream of ['stdout', 'stderr'] as const)
        call.write({ output: toOutput(stream, 'too late\n'.repeat(10_000)) })
    call.end()
    void once(call, 'finish').then(() => sent.resolve())
  })
  const options = { address: `127.0.0.1:${port}` }
  const plugin = await runPluginByHost(
    {
      processes: {
        spawn: () => {
          throw new Error('the host is running')
        },
        listGroups: () => [],
        close: async () => undefined,
      },
      env: {},
      engineAddress: () => '127.0.0.1:1',
    },
    { folder: '/p', runtime: 'client', options, requiredVersion: '' },
    { args: [], cwd: '/p' },
  )
  await sent.promise
  const [stdout, stderr, exit] = await Promise.all([
    text(plugin.stdout),
    text(plugin.stderr),
    plugin.exit,
  ])
  expect([stdout, stderr, exit]).toEqual(['started\n', '', { code: 3, signal: null }])
})
