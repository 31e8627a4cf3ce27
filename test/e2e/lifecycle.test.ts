import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../integration/otlp-receiver.ts'
import { findFilesWith } from './find-files-with.ts'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'

const secret = 'swordfish-7f3a'

let sandbox: Sandbox
let collector: OtlpReceiver

beforeEach(async () => {
  sandbox = createSandbox('shop')
  collector = await startOtlpReceiver()
})

afterEach(async () => {
  sandbox.remove()
  await collector.close()
})

interface State {
  readonly deployment: {
    readonly resources?: readonly { readonly urn: string; readonly id?: string }[]
  }
}

async function readCheckedExport(): Promise<
  readonly { readonly name: string; readonly id: string }[]
> {
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(text).not.toContain(secret)
  expect(text).not.toContain('tok-sealed-token')
  const { deployment } = JSON.parse(text) as State
  return (deployment.resources ?? []).map(({ urn, id }) => ({
    name: urn.slice(urn.lastIndexOf('::') + 2),
    id: id ?? '',
  }))
}

const up = ['up', '--yes', '--skip-preview', '-s', 'dev']

test('a program is deployed, updated, refreshed and destroyed, and no secret is stored or sent in plaintext', async () => {
  const traceId = 'f'.repeat(32)
  const callerSpanId = 'e'.repeat(16)
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRACEPARENT: `00-${traceId}-${callerSpanId}-01`,
  }
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))

  requireSuccess(await sandbox.run(up, { env }))
  const first = await readCheckedExport()
  expect(sandbox.listObjects().map(({ id }) => id)).toEqual([
    'database-1',
    'old-1',
    'page-1',
    'server-1',
  ])
  expect(first.map(({ name }) => name)).toContain('note')

  const unchangedUp = await sandbox.run([...up, '--expect-no-changes'], { env })
  expect(unchangedUp).toMatchObject({ exit: 0 })

  requireSuccess(await sandbox.run(up, { env: { ...env, STEP: '2' } }))
  const second = await readCheckedExport()
  expect(sandbox.listObjects().map(({ id }) => id)).toEqual([
    'database-1',
    'new-1',
    'page-1',
    'server-2',
  ])
  expect(second.map(({ id }) => id)).toContain('server-2')

  const outputs = requireSuccess(await sandbox.run(['stack', 'output', '--json', '-s', 'dev'])).out
  expect(JSON.parse(outputs)).toEqual({
    url: 'gold:none:server-2',
    token: '[secret]',
    password: '[secret]',
  })

  requireSuccess(await sandbox.run(['refresh', '--yes', '--skip-preview', '-s', 'dev'], { env }))
  await readCheckedExport()

  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev'], { env }))
  expect(await readCheckedExport()).toEqual([])
  expect(sandbox.listObjects()).toEqual([])
  for (const text of [secret, 'tok-sealed-token'])
    expect([findFilesWith(sandbox.home, text), collector.readBytes().includes(text)]).toEqual([
      [],
      false,
    ])
  expectOneTrace(traceId, callerSpanId)
  expect(sandbox.listProcesses()).toEqual([])
})

/** Expects that deployments, operations and calls are spans of the caller's trace. */
function expectOneTrace(traceId: string, callerSpanId: string): void {
  const { spans, metrics } = collector
  expect(new Set(spans.map(span => span.traceId))).toEqual(new Set([traceId]))
  const parentsOf = (name: string): readonly (string | undefined)[] => [
    ...new Set(
      spans
        .filter(span => span.name === name)
        .map(span => spans.find(({ spanId }) => spanId === span.parentSpanId)?.name),
    ),
  ]
  const deployments = spans.filter(({ name }) => name.startsWith('deployment '))
  expect(deployments.map(({ name }) => name)).toEqual([
    ...['deployment up', 'deployment up', 'deployment up', 'deployment refresh'],
    'deployment destroy',
  ])
  expect(new Set(deployments.map(span => span.parentSpanId))).toEqual(new Set([callerSpanId]))
  expect(parentsOf('update gold:index:Thing')).toEqual(['deployment up'])
  expect(parentsOf('pulumirpc.ResourceProvider/Update')).toEqual(['update gold:index:Thing'])
  expect(parentsOf('pulumirpc.ResourceProvider/Check')).toEqual(['generator run'])
  const update = spans.find(({ name }) => name === 'update gold:index:Thing')
  expect(update?.attributes).toMatchObject({
    'antichain.operation.outcome': 'succeeded',
    'antichain.operation.attempts': 1n,
    'antichain.resource.urn': expect.stringMatching(/::page$/),
  })
  expect([...metrics]).toContain('antichain.operation.duration')
}
