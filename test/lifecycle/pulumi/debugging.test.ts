import { credentials, status } from '@grpc/grpc-js'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { Callback } from '../../../proto/gen/pulumi/callback.ts'
import { EngineClient, StartDebuggingRequest } from '../../../proto/gen/pulumi/engine.ts'
import {
  RegisterResourceRequest,
  ResourceMonitorClient,
} from '../../../proto/gen/pulumi/resource.ts'
import type { ProgramHost, ProgramInput } from '../../../shared/programs/program.ts'
import { createCloud } from '../cloud.ts'
import { createEngines } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Creates a host whose program calls the engine directly. */
function createCallingHost(program: (input: ProgramInput) => Promise<void>): ProgramHost {
  return {
    run: input =>
      Promise.resolve({
        programEnd: program(input).then(
          () => ({ error: undefined, hasReportedError: false }),
          (thrown: unknown) => ({ error: String(thrown), hasReportedError: false }),
        ),
        stop: () => Promise.resolve(),
      }),
    listPackages: () => Promise.resolve([]),
  }
}

const source = {
  name: 'life',
  projectFolder: '/',
  programFolder: '/',
  entryPoint: '.',
  plugins: [],
  runtime: 'own',
  runtimeOptions: {},
}

test('StartDebugging reports the configuration to editors, and the waiting process to users', async () => {
  const config = { name: 'mine', type: 'node', port: 9230, nested: { list: [1, true, null] } }
  const programs = createCallingHost(async ({ engineAddress, onDebuggerReady }) => {
    expect(onDebuggerReady).toBeUndefined()
    const engine = new EngineClient(engineAddress, credentials.createInsecure())
    const start = promisify<StartDebuggingRequest, object>(engine.startDebugging.bind(engine))
    await start(StartDebuggingRequest.create({ config, message: 'on port 9230' }))
    engine.close()
  })
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(undefined, { programs, request: { source } })
  expect(testRun.result.result).toBe('succeeded')
  const startEvents = testRun.events.filter(
    event => 'startDebuggingEvent' in event || JSON.stringify(event).includes('debugger to attach'),
  )
  expect(startEvents).toMatchObject([
    {
      diagnosticEvent: {
        message: 'Waiting for debugger to attach (on port 9230)...',
        severity: 'info',
        ephemeral: true,
      },
    },
    { startDebuggingEvent: { config } },
  ])
})

test('a registration with state migrations fails with FAILED_PRECONDITION, and nothing is created', async () => {
  const codes: unknown[] = []
  const programs = createCallingHost(async ({ monitorAddress }) => {
    const monitor = new ResourceMonitorClient(monitorAddress, credentials.createInsecure())
    const register = promisify<RegisterResourceRequest, object>(
      monitor.registerResource.bind(monitor),
    )
    const migration = Callback.create({ target: '127.0.0.1:1', token: 'a' })
    const registration = { type: 'test:index:Thing', name: 'a', custom: true, object: {} }
    const request = RegisterResourceRequest.create({
      ...registration,
      stateMigrations: [migration],
    })
    await register(request).catch((thrown: unknown) => codes.push(Object(thrown).code))
    monitor.close()
  })
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(undefined, { programs, request: { source } })
  expect(codes).toEqual([status.FAILED_PRECONDITION])
  expect(testRun.state.resources ?? []).toEqual([])
})
