/**
 * These tests forge requests as the function of a webhook or schedule could. If a forged request
 * were served, such a function could run any program with the role of any stack.
 */
import { describe, expect, test } from 'vitest'
import type { DocumentKey } from '../../ports/documents.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import type { DeploymentRequest, RepositoryProgram } from '../../records/stack-request.ts'
import { scheduleDocument } from '../../triggers/schedules/due-schedule.ts'
import {
  createRemedyRequest,
  createScheduleRequest,
  createWebhookRequest,
} from '../../triggers/trigger-requests.ts'
import { ruleForm, findRuleMatches } from '../../triggers/webhooks/rules.ts'
import { createRequestAuthorization } from './authorize-request.ts'

const [stack, otherStack] = ['organization/p/s', 'organization/p/t'] as StackId[] as [
  StackId,
  StackId,
]
const commit = '0123456789abcdef0123456789abcdef01234567'
const context = { requestedAt: 7 as EpochMs, execute: 'functions' } as const
const common = { repository: 'acme/shop', stack, folder: 'infra' }
const pushRule = { on: 'push', branches: ['main'], ignoreScripts: true, ...common }
const previewRule = { on: 'pull-request', ...common }

type Documents = Readonly<Record<string, unknown>>

const createWebhook = (rules: readonly object[], fields: object = {}): Documents => ({
  'webhook * hook': { form: 'github', secrets: ['sealed'], rules, ...fields },
})
const webhook = createWebhook([pushRule, previewRule])
const createSchedule = (operation: object, fields: object = {}): Documents => ({
  [`schedule ${stack} night`]: { when: 'rate(1 hour)', operation, createdAt: 1, ...fields },
})
const readSchedule = (documents: Documents) =>
  scheduleDocument.parse(documents[`schedule ${stack} night`])

function authorize(documents: Documents, request: DeploymentRequest) {
  const get = async (key: DocumentKey) => {
    const value = documents[`${key.kind} ${key.scope} ${key.name}`]
    return value === undefined ? undefined : { key, value, version: 1 }
  }
  const isApproved = async ({ key }: { readonly key: string }) => key === 'approved'
  return createRequestAuthorization({ documents: { get }, requests: { isApproved } }).authorize(
    request,
  )
}

test.each([
  ['covers its stack', { stacks: {} }, {}, true],
  ['names its project', { stacks: { projects: ['p'] } }, {}, true],
  ['names another project', { stacks: { projects: ['q'] } }, {}, false],
  ['names a tag of its stack', { stacks: { tags: { team: 'web' } } }, { team: 'web' }, true],
  ['names another tag', { stacks: { tags: { team: 'web' } } }, { team: 'db' }, false],
  ['is paused', { stacks: {}, isPaused: true }, {}, false],
])('a run of a shared schedule that %s is served: $3', async (_, fields, tags, isServed) => {
  const value = { when: 'rate(1 hour)', operation: { kind: 'refresh' }, createdAt: 1, ...fields }
  const documents = {
    'schedule * night': { ...value, skipReadWithinMs: 60_000 },
    [`stack-settings ${stack} tags`]: tags,
  }
  const schedule = scheduleDocument.parse(documents['schedule * night'])
  const run = { stack, name: 'night', schedule, due: 5 as EpochMs, isShared: true }
  const request = createScheduleRequest(run, context)
  const origin = {
    kind: 'schedule',
    name: 'night',
    remediate: true,
    shared: { skipReadWithinMs: 0 },
  }
  // A forged request has neither the remedy nor the shorter time.
  const forged = { ...request, origin } as DeploymentRequest
  const result = authorize(documents, forged)
  if (isServed) expect(await result).toEqual(request)
  else await expect(result).rejects.toMatchObject({ code: 'REQUEST_UNAPPROVED' })
})

/** Returns the request of a delivery for the first matching rule. */
function requestOf(rules: readonly object[], kind: 'push' | 'pull-request'): DeploymentRequest {
  const change = { repository: 'acme/shop', commit, branch: 'main', paths: undefined }
  const event =
    kind === 'push' ? { kind, ...change } : { kind, ...change, number: 7, isForeign: false }
  const [trigger] = findRuleMatches(
    rules.map(rule => ruleForm.parse(rule)),
    event,
  )
  if (trigger === undefined) throw new Error('no rule matches')
  return createWebhookRequest(trigger, { webhook: 'hook', delivery: 'one' }, context)
}

const pushed = requestOf([pushRule], 'push')
const previewed = requestOf([previewRule], 'pull-request')
const program = pushed.program as RepositoryProgram
const archive = { kind: 'archive', archive: 'of a preview' as BlobHash } as const
const unapproved = { code: 'REQUEST_UNAPPROVED' }

test.each([
  ['a push', pushed],
  ['a pull request', previewed],
])('the request of a rule for %s is served unchanged', async (_name, request) => {
  expect(await authorize(webhook, request)).toEqual(request)
})

test('settings come from the rule, whatever the request contains', async () => {
  const options = { ...pushed.options, imports: [], targeting: undefined } as never
  const forged = { ...program, ignoreScripts: false, folder: 'evil', previewWithDeployRole: true }
  expect(await authorize(webhook, { ...pushed, program: forged, options })).toMatchObject({
    program: { folder: 'infra', ignoreScripts: true },
    options: pushed.options,
  })
  const derivedPreview = await authorize(webhook, {
    ...previewed,
    program: { ...program, previewWithDeployRole: true },
  })
  expect(derivedPreview.program).toMatchObject({ previewWithDeployRole: false })
})

test('settings come from the rule that made the request, or from the strictest rule if the rules have changed', async () => {
  const trusted = { ...previewRule, branches: ['main'], previewWithDeployRole: true }
  const rules = createWebhook([trusted, { ...previewRule, ignoreScripts: true }])
  const request = requestOf([trusted], 'pull-request')
  expect(await authorize(rules, request)).toEqual(request)
  const withoutSettings = { ...program, ignoreScripts: undefined, previewWithDeployRole: undefined }
  const derivedRequest = await authorize(rules, { ...request, program: withoutSettings as never })
  expect(derivedRequest.program).toMatchObject({
    ignoreScripts: true,
    previewWithDeployRole: false,
  })
})

describe('a forged request of a webhook', () => {
  const { origin } = pushed
  if (origin?.kind !== 'webhook') throw new Error('no origin')
  test.each<readonly [string, Partial<DeploymentRequest>]>([
    ['for another stack', { stack: otherStack }],
    ['for another repository', { origin: { ...origin, repository: 'evil/x' } }],
    ['for another branch', { origin: { ...origin, ref: 'branch evil' } }],
    ['for a tag', { origin: { ...origin, ref: 'tag v1' } }],
    ['with a ref that is no branch or tag', { origin: { ...origin, ref: 'main' } }],
    ['for a commit that is no hash', { origin: { ...origin, commit: 'heads/evil' } }],
    ['for another operation', { options: { ...pushed.options, command: 'destroy' } }],
    ['that deploys a pull request', { origin: { ...origin, pullRequest: 7 } }],
    ['that previews', { dryRun: true }],
    ['with an archive', { program: archive }],
    ['with the last program', { program: { kind: 'last' } }],
    ['of an unknown webhook', { origin: { ...origin, webhook: 'other' } }],
  ])('%s is refused', async (_name, fields) => {
    await expect(authorize(webhook, { ...pushed, ...fields })).rejects.toMatchObject(unapproved)
  })

  test('is refused while its webhook is paused', async () => {
    const paused = createWebhook([pushRule], { isPaused: true })
    await expect(authorize(paused, pushed)).rejects.toMatchObject(unapproved)
  })

  test('is served with the repository and commit of its origin', async () => {
    const forged = { ...program, repository: 'evil/x', commit: 'f'.repeat(40), webhook: 'other' }
    expect(await authorize(webhook, { ...pushed, program: forged })).toEqual(pushed)
  })
})

describe('the request of a schedule', () => {
  const drift = createSchedule({ kind: 'refresh', remediate: true })
  const run = { stack, name: 'night', due: 5 as EpochMs }
  const detected = createScheduleRequest({ ...run, schedule: readSchedule(drift) }, context)
  const remedy = createRemedyRequest(detected, 9 as EpochMs)

  test.each([
    ['for a run', detected],
    ['for a remedy', remedy],
  ])('%s is served unchanged if it matches the document', async (_name, request) => {
    expect(await authorize(drift, request)).toEqual(request)
  })

  test.each<readonly [string, DeploymentRequest, Documents]>([
    ['without a document', detected, {}],
    ['that is paused', detected, createSchedule({ kind: 'refresh' }, { isPaused: true })],
    ['that has another operation', detected, createSchedule({ kind: 'destroy' })],
    ['for another stack', { ...detected, stack: otherStack }, drift],
    ['with another key', { ...detected, key: 'schedule night' }, drift],
    ['that removes drift without the setting', remedy, createSchedule({ kind: 'refresh' })],
    ['that removes drift, with another key', { ...remedy, key: 'remedy of x' }, drift],
  ])('%s is refused', async (_name, request, documents) => {
    await expect(authorize(documents, request)).rejects.toMatchObject(unapproved)
  })

  test.each([
    [{ kind: 'refresh' }, 'refresh', true],
    [{ kind: 'refresh', record: true }, 'refresh', false],
    [{ kind: 'preview' }, 'up', true],
    [{ kind: 'up' }, 'up', false],
  ])(
    'for %j is served, and is a preview only if it must not change the state',
    async (operation, command, dryRun) => {
      const documents = createSchedule(operation)
      const request = createScheduleRequest({ ...run, schedule: readSchedule(documents) }, context)
      expect(request).toMatchObject({ dryRun, options: { command } })
      expect(await authorize(documents, request)).toEqual(request)
      await expect(authorize(documents, { ...request, dryRun: !dryRun })).rejects.toMatchObject(
        unapproved,
      )
    },
  )

  test('has the program and the options of its schedule', async () => {
    const forged = { ...remedy, program: archive, options: { ...remedy.options, parallel: 9_999 } }
    expect(await authorize(drift, forged)).toEqual(remedy)
  })
})

test('any other request needs an approval', async () => {
  const { origin: _origin, ...request } = { ...pushed, program: archive }
  await expect(authorize(webhook, request)).rejects.toMatchObject(unapproved)
  const approved = { ...request, key: 'approved' }
  expect(await authorize(webhook, approved)).toBe(approved)
})
