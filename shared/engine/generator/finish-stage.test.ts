import { beforeEach, describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import type { GeneratorContext } from './context.ts'
import { DeploymentAborted, finishStage, RegistrationFailed, unwrap } from './finish-stage.ts'
import { toDecided, failDeployment, failStep, type FailedResult, stoppedResult } from './stage.ts'

const urn = 'urn:pulumi:dev::shop::a:b:C::r' as Urn
let calls: string[] = []
beforeEach(() => {
  calls = []
})

const ctx = {
  ports: {
    emitter: { report: (_severity: string, message: string) => calls.push(message) },
    markFailed: () => calls.push('failed'),
    abort: () => calls.push('abort'),
  },
  apply: () => calls.push('apply'),
} as unknown as GeneratorContext

describe('finishStage', () => {
  test('applies the delta of a decision once', () => {
    const finished = finishStage(ctx, toDecided(1, { handledUrns: [urn] }))
    finishStage(ctx, finished)
    expect(calls).toEqual(['apply'])
    expect(finished).toEqual({ kind: 'decided', value: 1 })
  })

  test('reports the errors of a preview and continues', () => {
    const diagnostics = [{ message: 'missing', urn }]
    expect(finishStage(ctx, { ...toDecided(1), diagnostics }).kind).toBe('decided')
    expect(calls).toEqual(['apply', 'missing', 'failed'])
  })

  test('reports a failure once and ends the deployment', () => {
    const finished = finishStage(ctx, failDeployment('wrong', urn))
    finishStage(ctx, finished)
    expect(calls.filter(call => call === 'wrong')).toHaveLength(1)
    expect(calls).toContain('abort')
  })

  test('ends only the registration when the deployment continues after errors', () => {
    finishStage(ctx, failStep({ continueOnError: true }))
    expect(calls).toEqual(['failed'])
  })

  test('does not count a registration whose dependency failed as a failure', () => {
    const failure = {
      diagnostics: [],
      endedPart: 'registration',
      isDependencyFailure: true,
    } as const
    finishStage(ctx, { kind: 'failed', failure })
    expect(calls).toEqual([])
  })
})

describe('unwrap', () => {
  test('returns the value of a decision', () => expect(unwrap(ctx, toDecided(1))).toBe(1))

  test('throws DeploymentAborted when the deployment ends', () =>
    expect(() => unwrap(ctx, stoppedResult)).toThrow(DeploymentAborted))

  test('throws RegistrationFailed with the URN when only the registration ends', () => {
    const failed: FailedResult = {
      kind: 'failed',
      failure: { diagnostics: [], endedPart: 'registration', urn },
    }
    expect(() => unwrap(ctx, failed)).toThrow(RegistrationFailed)
    expect(() => unwrap(ctx, failed)).toThrow(
      expect.objectContaining({ urn, isDependencyFailure: false }),
    )
  })
})
