import { describe, expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import { createResourceState } from '../../../state/resource.ts'
import { type Step, stepOf } from '../../step.ts'
import { createSets, reduceSets } from '../reduce-sets.ts'
import { failIfDependencyFailed } from './failed-dependencies.ts'

const urnOf = (name: string): Urn => `urn:pulumi:s::p::t:m:T::${name}` as Urn
const bad = urnOf('bad')
const createStep = (more: object = {}): Step =>
  stepOf({
    op: 'create',
    effect: 'add',
    next: createResourceState({ urn: urnOf('a'), type: 't:m:T', custom: true, ...more }),
  })

describe('a registration that names a failed resource', () => {
  test.each([
    ['not at all', {}, false],
    ['as its parent', { parent: bad }, true],
    ['as a dependency', { dependencies: [bad] }, true],
    ['as a dependency of a property', { propertyDependencies: new Map([['v', [bad]]]) }, true],
    ['in deletedWith', { deletedWith: bad }, true],
    ['in replaceWith', { replaceWith: [bad] }, true],
    ['as its provider', { provider: `${bad}::id` }, false],
  ])('%s', (_title, more, isFailed) => {
    const sets = createSets()
    const decide = () => failIfDependencyFailed({ sets }, [createStep(more)])
    expect(decide().kind).toBe('decided')
    reduceSets(sets, { failedUrns: [bad] })
    expect(decide()).toMatchObject(
      isFailed ? { kind: 'failed', failure: { isDependencyFailure: true } } : { kind: 'decided' },
    )
  })
})
