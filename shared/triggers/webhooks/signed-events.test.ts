import { expect, test } from 'vitest'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { readSignedEvent } from './signed-events.ts'

function readPush(pathCount: number): ReturnType<typeof readSignedEvent> {
  const paths = Array.from({ length: pathCount }, (_, index) => `f${index}`)
  const push = { event: 'push', repository: 'acme/shop', branch: 'main', commit: 'a'.repeat(40) }
  return readSignedEvent(Buffer.from(JSON.stringify({ ...push, paths })))
}

test('a push with too many paths counts as one with unknown paths', () => {
  const { pathsMax } = triggerLimits
  expect(readPush(pathsMax)).toMatchObject({ paths: { length: pathsMax } })
  expect(readPush(pathsMax + 1)).toMatchObject({ kind: 'push', paths: undefined })
})
