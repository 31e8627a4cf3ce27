import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { registerComponent, createComponentScript, registerSelf } from '../components.ts'
import type { TestRun } from '../engine.ts'
import { statesOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/**
 * Returns the positions of a request that a line of a file sends. In the stack trace, line 1 of the
 * file has called this line.
 */
const positionsAt = (root: string, file: string, line: number) => {
  const positionOf = (at: number) => ({ uri: `file://${root}/${file}`, line: at, column: 1 })
  return {
    sourcePosition: positionOf(line),
    stackTrace: { frames: [{ pc: positionOf(1) }, { pc: positionOf(line) }] },
  }
}

/** Returns the source position of a state and then its stack trace, each as `file#line`. */
const traceOf = (testRun: TestRun, name: string): readonly string[] => {
  const [state] = statesOf(testRun, name)
  const frames = (state?.['stackTrace'] ?? []) as readonly { sourcePosition: string }[]
  const ownPosition = state?.['sourcePosition']
  return [
    typeof ownPosition === 'string' ? ownPosition : '',
    ...frames.map(frame => frame.sourcePosition),
  ].map(position => position.replace('project:///', '').replace(/,1$/, ''))
}

test('TestSourcePositions: states contain their source position and the stack trace of the callers', async () => {
  const cloud = createCloud()
  cloud.objects.set('id', { v: 1 })
  let root = ''
  const script = createComponentScript({
    construct: async (request, monitor) => {
      const parentTrace = { parentStackTraceHandle: request.stackTraceHandle }
      const urn = await registerSelf(request, monitor, {
        ...positionsAt(root, 'inside', 2),
        ...parentTrace,
      })
      await registerThing(
        monitor,
        'c/a',
        {},
        { parent: urn, ...positionsAt(root, 'inside', 3), ...parentTrace },
      )
      const args = { name: 'c' }
      await monitor.call({
        tok: 'comp:index:go',
        args,
        ...positionsAt(root, 'inside', 4),
        ...parentTrace,
      })
      return { urn }
    },
    method: async ({ args, stackTraceHandle }, monitor) => {
      const parentTrace = { parentStackTraceHandle: stackTraceHandle }
      const name = `${String(args?.['name'])}/b`
      await monitor.read(name, 'id', { ...positionsAt(root, 'inside', 5), ...parentTrace })
      return {}
    },
  })
  const engine = await engines.open(cloud, { comp: script })
  root = engine.home
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'a', {}, positionsAt(root, 'main', 2))
    await monitor.read('b', 'id', positionsAt(root, 'main', 3))
    await registerComponent(monitor, 'c', positionsAt(root, 'main', 4))
    await monitor.call({
      tok: 'comp:index:go',
      args: { name: 'd' },
      ...positionsAt(root, 'main', 5),
    })
  })
  expect(testRun.result.result).toBe('succeeded')
  const constructed = ['main#1', 'main#4', 'inside#1']
  expect(traceOf(testRun, 'a')).toEqual(['main#2', 'main#1', 'main#2'])
  expect(traceOf(testRun, 'b')).toEqual(['main#3', 'main#1', 'main#3'])
  expect(traceOf(testRun, 'c')).toEqual(['inside#2', ...constructed, 'inside#2'])
  expect(traceOf(testRun, 'c/a')).toEqual(['inside#3', ...constructed, 'inside#3'])
  const called = [...constructed, 'inside#4', 'inside#1', 'inside#5']
  expect(traceOf(testRun, 'c/b')).toEqual(['inside#5', ...called])
  expect(traceOf(testRun, 'd/b')).toEqual(['inside#5', 'main#1', 'main#5', 'inside#1', 'inside#5'])
})
