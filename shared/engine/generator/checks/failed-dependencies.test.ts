import { describe, expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import { createResourceState } from '../../../state/resource.ts'
import { type Step, stepOf } from '../../step.ts'
import { RegistrationFailed } from '../context.ts'
import { createSets } from '../sets.ts'
import { skipIfDependencyFailed } from './failed-dependencies.ts'

const urnOf = (name: string): Urn => `urn:pulumi:s::p::t:m:T::${name}` as Urn
const bad = urnOf('bad')
const made = (more: object = {}): Step =>
  stepOf({
    op: 'create',
    effect: 'add',
    next: createResourceState({ urn: urnOf('a'), type: 't:m:T', custom: true, ...more }),
  })

describe('what is below something that failed', () => {
  test.each([
    ['nothing that it names', {}, false],
    ['its parent', { parent: bad }, true],
    ['a dependency', { dependencies: [bad] }, true],
    ['a dependency of a property', { propertyDependencies: new Map([['v', [bad]]]) }, true],
    ['what it is deleted with', { deletedWith: bad }, true],
    ['what it is replaced with', { replaceWith: [bad] }, true],
    ['its provider', { provider: `${bad}::id` }, false],
  ])('%s', (_title, more, isSkipped) => {
    const sets = createSets()
    const decide = (): void => skipIfDependencyFailed({ sets }, [made(more)])
    expect(decide).not.toThrow()
    sets.failed.add(bad)
    if (isSkipped) expect(decide).toThrow(RegistrationFailed)
    else expect(decide).not.toThrow()
  })
})
