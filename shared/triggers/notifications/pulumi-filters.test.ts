import { describe, expect, test } from 'vitest'
import type { DeploymentId, EpochMs, StackId } from '../../records/ids.ts'
import type { NotificationEvent } from '../../records/notification.ts'
import { type FilterSelection, deliveryKindOf, selectsEvent } from './pulumi-filters.ts'
import { pulumiPayloadOf } from './pulumi-payload.ts'

const stack = 'organization/shop/prod' as StackId
const fields = { stack, command: 'destroy', at: 0 as EpochMs }
const deployment = `${stack}/7` as DeploymentId
const failed: NotificationEvent = {
  kind: 'failed',
  ...fields,
  deployment,
  changes: { delete: 2 },
  codes: [],
}
const requested = { ...failed, isRequested: true }
const refused: NotificationEvent = {
  kind: 'failed',
  ...fields,
  request: 'r',
  changes: {},
  codes: [],
}
const drift: NotificationEvent = {
  kind: 'drift',
  ...fields,
  command: 'refresh',
  request: 'r',
  count: 1,
  urns: [],
  changes: { update: 1 },
}
const started: NotificationEvent = { kind: 'started', ...fields, deployment }

describe('the selection of a webhook', () => {
  test.each<[FilterSelection, NotificationEvent, boolean | undefined]>([
    [{}, failed, undefined],
    [{ filters: ['destroy_failed'] }, failed, true],
    [{ filters: ['update_failed', 'destroy_succeeded'] }, failed, false],
    [{ filters: ['deployment_failed'] }, failed, false],
    [{ filters: ['deployment_failed'] }, requested, true],
    [{ filters: ['deployment_failed'] }, refused, true],
    [{ groups: ['stacks'] }, refused, false],
    [{ groups: ['stacks'] }, failed, true],
    [{ groups: ['deployments'] }, drift, true],
    [{ groups: ['stacks'], filters: ['drift_detected'] }, started, false],
    [{ filters: ['deployment_started'] }, started, true],
  ])('selectsEvent of %j for the event %j is %s', (selection, event, expected) => {
    expect(selectsEvent(selection, event)).toBe(expected)
  })
})

describe('a payload', () => {
  const payloadOf = (event: NotificationEvent, selection: FilterSelection = {}): unknown => {
    const kind = deliveryKindOf(selection, event)
    return [kind, JSON.parse(pulumiPayloadOf(event, kind))]
  }

  test('has the documented fields of its kind', () => {
    const common = {
      user: { name: '', githubLogin: '', avatarUrl: '' },
      organization: { name: 'organization', githubLogin: 'organization', avatarUrl: '' },
      projectName: 'shop',
      stackName: 'prod',
    }
    expect(payloadOf(failed)).toEqual([
      'stack_update',
      {
        ...common,
        updateUrl: '',
        kind: 'destroy',
        result: 'failed',
        resourceChanges: { delete: 2 },
        isPreview: false,
      },
    ])
    const status = { deploymentUrl: '', operation: 'destroy', status: 'failed' }
    expect(payloadOf(requested, { groups: ['deployments'] })).toEqual([
      'deployment',
      { ...common, ...status, version: 7 },
    ])
    expect(payloadOf(refused)).toEqual(['deployment', { ...common, ...status }])
    expect(payloadOf(started)).toMatchObject(['deployment', { status: 'running', version: 7 }])
    expect(payloadOf(drift)).toEqual([
      'drift_detection',
      {
        ...common,
        driftDetected: true,
        driftRunId: 'r',
        status: 'succeeded',
        resourceChanges: { update: 1 },
        referenceUrl: '',
      },
    ])
  })
})
