import { credentials, Server, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import {
  GetRequiredPackagesResponse,
  LanguageRuntimeService,
  RunResponse,
  type RunRequest,
} from '../../../proto/gen/pulumi/language.ts'
import {
  RegisterResourceRequest,
  ResourceMonitorClient,
} from '../../../proto/gen/pulumi/resource.ts'
import { createProgramHosts } from '../../../shared/programs/hosts/program-hosts.ts'
import type { ProcessesPort } from '../../../shared/ports/system.ts'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions } from '../engine.ts'
import { statesOf } from '../run-events.ts'
import { createEngines } from '../register-thing.ts'

const engines = createEngines()
const servers: Server[] = []
afterEach(async () => {
  await engines.close()
  for (const server of servers.splice(0)) server.forceShutdown()
})

/** Returns the options of a run with a program of this runtime. Its host cannot be started. */
function createRunOptions(
  runtime: string,
  runtimeOptions: Record<string, unknown> = {},
): TestRunOptions {
  const programs = createProgramHosts({
    processes: {} as ProcessesPort,
    env: {},
    antichainNode: '',
    engineAddress: () => '',
  })
  const baseSource = {
    name: 'life',
    projectFolder: '/',
    programFolder: '/',
    entryPoint: '.',
    plugins: [],
  }
  return { programs, request: { source: { ...baseSource, runtime, runtimeOptions } } }
}

test('TestNoRuntimeLifecycle: a project without a runtime registers nothing', async () => {
  const engine = await engines.open(createCloud())
  for (const command of ['up', 'up', 'refresh', 'destroy'] as const)
    for (const dryRun of [true, false]) {
      const testRun = await engine.run(undefined, { ...createRunOptions(''), command, dryRun })
      expect([command, testRun.result.result]).toEqual([command, 'succeeded'])
      expect(testRun.state.resources ?? []).toEqual([])
    }
})

/** Starts a language host that registers one resource, and returns its address. */
async function startLanguageHost(): Promise<string> {
  const server = new Server()
  servers.push(server)
  const handlers = {
    getRequiredPackages: (_call: unknown, reply: (failed: null, value: object) => void) =>
      reply(null, GetRequiredPackagesResponse.create({})),
    run: (call: { request: RunRequest }, reply: (failed: Error | null, value?: object) => void) => {
      const { monitorAddress } = call.request
      const monitor = new ResourceMonitorClient(monitorAddress, credentials.createInsecure())
      const request = RegisterResourceRequest.create({
        type: 'test:index:Thing',
        name: 'a',
        custom: true,
        object: { v: 1 },
      })
      monitor.registerResource(request, failed => {
        monitor.close()
        reply(failed, RunResponse.create({}))
      })
    },
  }
  server.addService(LanguageRuntimeService, handlers)
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failed, port) =>
      failed === null ? resolve(`127.0.0.1:${port}`) : reject(failed),
    ),
  )
}

test('TestLanguageClient: the engine attaches to a running language host by its address', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(
    undefined,
    createRunOptions('client', { address: await startLanguageHost() }),
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-1', inputs: { v: 1 } }])
})

test('attaching to a language host without an address is refused', async () => {
  const engine = await engines.open(createCloud())
  await expect(engine.run(undefined, createRunOptions('client'))).rejects.toMatchObject({
    code: 'RUNTIME_UNKNOWN',
  })
})
