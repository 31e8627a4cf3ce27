import { expect, test } from 'vitest'
import type { StepMetadata } from '../../shared/engine/events/event.ts'
import { metadataOf } from './display.fixture.ts'
import { createProgress } from './progress.ts'

const detail = { diffKind: 'update', inputDiff: true }

test.each<[string, StepMetadata['detailedDiff'], readonly string[]]>([
  ['no detailed difference', null, ['size']],
  ['an empty detailed difference', {}, ['size']],
  ['detailed differences', { 'tags.a': detail, 'tags.b': detail }, ['tags']],
])('the row of an update with %s has the changed properties', (_case, detailedDiff, keys) => {
  const progress = createProgress()
  const metadata = metadataOf('update', 'a', { diffs: ['size'], detailedDiff })
  progress.add({ resourcePreEvent: { metadata, planning: false } }, 0)
  expect(progress.listRows().map(row => row.changedKeys)).toEqual([keys])
})
