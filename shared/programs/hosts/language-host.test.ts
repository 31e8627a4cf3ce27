import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { LanguageRuntimeService as service } from '../../../proto/gen/pulumi/language.ts'
import type { ChildProcess, ProcessesPort } from '../../ports/system.ts'
import { startHost } from './language-host.ts'

/** Serves a language runtime that refuses the handshake. Returns its port. */
async function serveRefusingRuntime(): Promise<number> {
  const server = new Server()
  const refuse = (_call: unknown, reply: (failure: unknown) => void): void =>
    reply({ code: status.INTERNAL, details: 'an incompatible engine' })
  server.addService(service, { handshake: refuse } as never)
  onTestFinished(() => server.forceShutdown())
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, port) =>
      failure === null ? resolve(port) : reject(failure),
    )
  })
}

/** Creates processes whose only child prints a line and ends at its first signal. */
function createFakeProcesses(line: string): {
  readonly processes: ProcessesPort
  readonly signals: readonly string[]
} {
  const signals: string[] = []
  const spawn = (): ChildProcess => {
    const exit = Promise.withResolvers<Awaited<ChildProcess['exit']>>()
    const printLine = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(line)
      await exit.promise
    }
    const printNothing = async function* (): AsyncGenerator<Uint8Array> {}
    const signal: ChildProcess['signal'] = name => {
      signals.push(name)
      exit.resolve({ code: null, signal: name })
    }
    return { pid: 1, stdout: printLine(), stderr: printNothing(), exit: exit.promise, signal }
  }
  const processes: ProcessesPort = { spawn, listGroups: () => [], close: () => Promise.resolve() }
  return { processes, signals }
}

// The host would keep running if `startHost` only rejected its promise after a failed handshake.
test('startHost ends a host that refuses the handshake, and reports the refusal', async () => {
  const { processes, signals } = createFakeProcesses(`${await serveRefusingRuntime()}\n`)
  const deps = { processes, env: {}, engineAddress: () => '127.0.0.1:1' }
  const plugins = [{ kind: 'language', name: 'x', version: '', folder: '/host' }] as const
  const folders = { projectFolder: '/p', programFolder: '/p' }
  const source = { runtime: 'x', ...folders, entryPoint: '.', runtimeOptions: {}, plugins }
  await expect(startHost(deps, source, () => undefined)).rejects.toMatchObject({
    code: 'PROGRAM_LANGUAGE_FAILED',
    message: expect.stringContaining('an incompatible engine') as string,
  })
  expect(signals).toEqual(['SIGINT'])
})
