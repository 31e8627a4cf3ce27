import { describe, expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import { createResourceState } from '../../../state/resource.ts'
import { type Step, stepOf } from '../../step.ts'
import { createSets, reduceSets } from '../reduce-sets.ts'
import { failIfDependencyFailed } from './failed-dependencies.ts'

const urnOf = (name: string): Urn => `urn:pulumi:s::p::t:m:T::${name}` as Urn
const bad = urnOf('bad')
const createStep = (fields: object = {}): Step =>
  stepOf({
    op: 'create',
    effect: 'add',
    next: createResourceState({ urn: urnOf('a'), type: 't:m:T', custom: true, ...fields }),
  })

describe('failIfDependencyFailed', () => {
  test.each([
    ['continues if no reference names the failed resource', {}, false],
    ['fails if the failed resource is the parent', { parent: bad }, true],
    ['fails if the failed resource is a dependency', { dependencies: [bad] }, true],
    [
      'fails if a property depends on the failed resource',
      { propertyDependencies: new Map([['v', [bad]]]) },
      true,
    ],
    ['fails if `deletedWith` names the failed resource', { deletedWith: bad }, true],
    ['fails if `replaceWith` names the failed resource', { replaceWith: [bad] }, true],
    ['continues if the failed resource is the provider', { provider: `${bad}::id` }, false],
  ])('%s', (_title, fields, isFailed) => {
    const sets = createSets()
    const decide = () => failIfDependencyFailed({ sets }, [createStep(fields)])
    expect(decide().kind).toBe('decided')
    reduceSets(sets, { failedUrns: [bad] })
    expect(decide()).toMatchObject(
      isFailed ? { kind: 'failed', failure: { isDependencyFailure: true } } : { kind: 'decided' },
    )
  })
})
