import { describe, expect, test } from 'vitest'
import { type Provider } from '../../providers/provider.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import type { StepOp } from '../../records/operation.ts'
import type { Urn } from '../../names/urn.ts'
import { createResourceState } from '../../state/resource.ts'
import { emptyMap } from '../../values/value.ts'
import { stepOf } from '../step.ts'
import { performAgain } from './perform-again.ts'

const urn = 'urn:pulumi:s::p::t:m:T::a' as Urn
const state = createResourceState({ urn, type: 't:m:T', custom: true, id: 'a-1', provider: 'p' })
const ref = { kind: 'base', epoch: 1, index: 0, urn } as const

/**
 * Performs a step again on a resource that exists, is gone, or has an unknown existence
 * (undefined). Every delete fails.
 */
async function performStepAgain(op: StepOp, exists: boolean | undefined) {
  const calls: string[] = []
  const provider = {
    delete: async () => {
      calls.push('delete')
      throw new ProviderError('refused', { code: 2, status: 'ok', partialResource: undefined })
    },
    update: async () => {
      calls.push('update')
      return { outputs: emptyMap, refreshBeforeUpdate: false }
    },
    read: async () => {
      if (exists === undefined) throw new Error('no answer')
      const outputs = exists ? emptyMap : undefined
      return { id: exists ? 'a-1' : '', inputs: emptyMap, outputs }
    },
  } as unknown as Provider
  const isDelete = op === 'delete'
  const step = stepOf({
    op,
    effect: isDelete ? 'remove' : 'replace',
    old: { state, ref },
    ...(isDelete ? {} : { next: state }),
  })
  const warn = (): void => undefined
  const end = await performAgain(step, {
    provider: async () => provider,
    timestamp: () => '',
    beforeRetry: () => Promise.resolve(),
    warn,
  })
  return { verdict: end.verdict, calls }
}

describe('a delete that the provider may have received before', () => {
  test('succeeds despite an error when the resource is gone', async () => {
    expect(await performStepAgain('delete', false)).toEqual({
      verdict: 'succeeded',
      calls: ['delete'],
    })
  })

  test('fails when the resource exists or its existence is unknown', async () => {
    expect(await performStepAgain('delete', true)).toEqual({ verdict: 'failed', calls: ['delete'] })
    expect(await performStepAgain('delete', undefined)).toEqual({
      verdict: 'failed',
      calls: ['delete'],
    })
  })
})

describe('an update that the provider may have received before', () => {
  test('is sent again when the resource exists or its existence is unknown', async () => {
    expect(await performStepAgain('update', true)).toEqual({
      verdict: 'succeeded',
      calls: ['update'],
    })
    expect(await performStepAgain('update', undefined)).toEqual({
      verdict: 'succeeded',
      calls: ['update'],
    })
  })

  test('is not sent when the resource is gone', async () => {
    expect(await performStepAgain('update', false)).toEqual({ verdict: 'failed', calls: [] })
  })
})
