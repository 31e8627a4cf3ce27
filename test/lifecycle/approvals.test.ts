import { afterEach, beforeEach, expect, test } from 'vitest'
import { decideApproval } from '../../functions/api/decide-approval.ts'
import type { ApiPorts } from '../../shared/api/define-route.ts'
import {
  approvalRuleKeyOf,
  type ApprovalRule,
} from '../../shared/runtime/approvals/approval-rule.ts'
import { createCloud, type Cloud } from './cloud.ts'
import { openFunctions, type TestFunctions } from './test-functions.ts'
import { createThings } from './register-thing.ts'

let functions: TestFunctions
let cloud: Cloud
const things: Record<string, Record<string, number>> = {}

beforeEach(async () => {
  for (const name of Object.keys(things)) delete things[name]
  Object.assign(things, { first: { v: 1 } })
  cloud = createCloud()
  functions = await openFunctions(cloud, createThings(things))
  const rule: ApprovalRule = { commands: ['up', 'destroy'], expiresAfterHours: 24 }
  await functions.platform.documents.put(approvalRuleKeyOf(functions.stack), rule, 0)
})
afterEach(() => functions.close())

const caller = { id: 'x', name: 'reviewer', role: 'approve', stacks: '*' } as const

/** Approves the plan of a request, and runs the deployment that applies it. */
async function approve(key: string): Promise<void> {
  const { platform, stack, nudges } = functions
  const nudge = async (nudgedStack: typeof stack, delayMs: number) =>
    void nudges.push({ stack: nudgedStack, delayMs })
  const ports = { ...platform, nudges: { nudge }, execute: 'functions' } as unknown as ApiPorts
  await decideApproval(ports, { stack, request: key }, { caller, draft: { verdict: 'approved' } })
  await functions.runToIdle()
}
/** Requests a deployment, and runs it to its end or until its plan waits for an approval. */
async function request(...args: Parameters<TestFunctions['requestDeployment']>): Promise<void> {
  await functions.requestDeployment(...args)
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
}
const readEnd = async (key: string) =>
  (await functions.platform.requests.find(functions.stack, key))?.end
const readNames = async () =>
  ((await functions.readState()).resources ?? []).flatMap(({ type, urn }) =>
    type === 'test:index:Thing' ? [String(urn).split('::').at(-1)] : [],
  )

test('an up and a destroy of a stack with a rule change nothing before their plans are approved', async () => {
  await request('up')
  expect(await readEnd('up')).toMatchObject({ kind: 'previewed', approval: {} })
  expect(cloud.objects.size).toBe(0)
  await approve('up')
  expect(await readEnd('approved up')).toMatchObject({ kind: 'started' })
  const { platform, stack } = functions
  expect(await platform.catalog.listHistory(stack, 9)).toMatchObject([
    { by: 'a test', approval: { by: 'reviewer', at: expect.any(Number) } },
  ])
  expect(await readNames()).toEqual(['first'])

  await request('destroy', { command: 'destroy' })
  expect(await readEnd('destroy')).toMatchObject({ kind: 'previewed', changes: { delete: 2 } })
  expect(await readNames()).toEqual(['first'])
  await approve('destroy')
  expect(cloud.objects.size).toBe(0)
})

test('an approved up that would leave its plan fails with advice for the next step, and changes nothing outside the plan', async () => {
  await request('up')
  things['second'] = { v: 1 }
  await approve('up')
  const [record] = await functions.platform.catalog.listHistory(functions.stack, 1)
  expect(record?.result).toBe('failed')
  expect(cloud.mutatingCalls).not.toContain('create second')
  const { events } = await functions.platform.events.read(record?.deployment as never, 0, 100)
  expect(events.filter(line => line.includes('The approved plan no longer fits'))).toHaveLength(1)
})
