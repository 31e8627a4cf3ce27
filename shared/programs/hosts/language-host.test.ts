import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { LanguageRuntimeService as service } from '../../../proto/gen/pulumi/language.ts'
import type { ChildProcess, ProcessesPort } from '../../ports/system.ts'
import { createLanguageProgramHost, startHost } from './language-host.ts'

type Refusal = (call: unknown, reply: (failure: unknown) => void) => void

const refuseWith =
  (code: status, details: string): Refusal =>
  (_call, reply) =>
    reply({ code, details })

/** Serves a language runtime that has these methods only. Returns its port. */
async function serveRuntime(methods: Readonly<Record<string, Refusal>>): Promise<number> {
  const server = new Server()
  server.addService(service, methods as never)
  onTestFinished(() => server.forceShutdown())
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, port) =>
      failure === null ? resolve(port) : reject(failure),
    )
  })
}

/** Creates processes whose only child prints its port and error lines, and ends at a signal. */
function createFakeProcesses(
  port: number,
  errorText = '',
): {
  readonly processes: ProcessesPort
  readonly signals: readonly string[]
} {
  const signals: string[] = []
  const spawn = (): ChildProcess => {
    const exit = Promise.withResolvers<Awaited<ChildProcess['exit']>>()
    const printLine = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${port}\n`)
      await exit.promise
    }
    const printErrors = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(errorText)
    }
    const signal: ChildProcess['signal'] = name => {
      signals.push(name)
      exit.resolve({ code: null, signal: name })
    }
    return { pid: 1, stdout: printLine(), stderr: printErrors(), exit: exit.promise, signal }
  }
  const processes: ProcessesPort = { spawn, listGroups: () => [], close: () => Promise.resolve() }
  return { processes, signals }
}

const plugins = [{ kind: 'language', name: 'x', version: '', folder: '/host' }] as const
const folders = { projectFolder: '/p', programFolder: '/p' }
const source = { runtime: 'x', ...folders, entryPoint: '.', runtimeOptions: {}, plugins }

// The host would keep running if `startHost` only rejected its promise after a failed handshake.
test('startHost ends a host that refuses the handshake, and reports the refusal', async () => {
  const handshake = refuseWith(status.INTERNAL, 'an incompatible engine')
  const { processes, signals } = createFakeProcesses(await serveRuntime({ handshake }))
  const deps = { processes, env: {}, engineAddress: () => '127.0.0.1:1' }
  await expect(startHost(deps, source, () => undefined)).rejects.toMatchObject({
    code: 'PROGRAM_LANGUAGE_FAILED',
    message: expect.stringContaining('an incompatible engine') as string,
  })
  expect(signals).toEqual(['SIGINT'])
})

test.each([
  [
    'refuses a program',
    refuseWith(status.UNKNOWN, '<nil>: yaml: line 3: no node content; '),
    'pulumi-language-x cannot list the packages of the program: yaml: line 3: no node content',
  ],
  [
    'ends',
    refuseWith(status.UNAVAILABLE, 'Connection dropped'),
    'pulumi-language-x cannot list the packages of the program: it ended. panic: no variable',
  ],
] as const)(
  'listPackages reports the reason of a host that %s',
  async (_name, refusal, message) => {
    const port = await serveRuntime({ getRequiredPackages: refusal })
    const { processes } = createFakeProcesses(port, 'starting\npanic: no variable\n\tsort.go:190\n')
    const deps = { processes, env: {}, engineAddress: () => '127.0.0.1:1' }
    const listing = createLanguageProgramHost(deps).listPackages(source)
    await expect(listing).rejects.toMatchObject({ code: 'PROGRAM_LANGUAGE_FAILED', message })
  },
)

// The call would never end if `stop` only closed the connection.
test('stop ends the run of an attached host that ignores the cancellation', async () => {
  const runStarted = Promise.withResolvers<void>()
  const port = await serveRuntime({ run: () => runStarted.resolve(), cancel: () => undefined })
  const { processes } = createFakeProcesses(port)
  const deps = { processes, env: {}, engineAddress: () => '127.0.0.1:1', stopGraceMs: 20 }
  const address = `127.0.0.1:${port}`
  const program = await createLanguageProgramHost(deps).run(
    {
      ...source,
      ...{ runtime: 'client', runtimeOptions: { address } },
      ...{ project: 'p', stack: 'dev', organization: 'o', config: new Map(), configSecretKeys: [] },
      ...{ dryRun: false, parallel: 1, monitorAddress: '', engineAddress: '' },
    },
    () => undefined,
  )
  await runStarted.promise
  await program.stop()
  expect(await program.programEnd).toMatchObject({
    error: expect.stringContaining('CANCELLED') as string,
  })
})
