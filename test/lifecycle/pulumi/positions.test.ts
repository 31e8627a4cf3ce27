import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { component, componentScript, itself } from '../components.ts'
import type { Ran } from '../engine.ts'
import { statesOf } from '../told.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Where a request was made, below the first line of its file. */
const madeAt = (root: string, file: string, line: number) => {
  const position = (at: number) => ({ uri: `file://${root}/${file}`, line: at, column: 1 })
  return {
    sourcePosition: position(line),
    stackTrace: { frames: [{ pc: position(1) }, { pc: position(line) }] },
  }
}

const traceOf = (ran: Ran, name: string): readonly string[] => {
  const [state] = statesOf(ran, name)
  const frames = (state?.['stackTrace'] ?? []) as readonly { sourcePosition: string }[]
  const own = state?.['sourcePosition']
  return [typeof own === 'string' ? own : '', ...frames.map(frame => frame.sourcePosition)].map(
    position => position.replace('project:///', '').replace(/,1$/, ''),
  )
}

test('TestSourcePositions: states say where they come from, below all that called it', async () => {
  const cloud = createCloud()
  cloud.objects.set('id', { v: 1 })
  let root = ''
  const script = componentScript({
    make: async (request, monitor) => {
      const above = { parentStackTraceHandle: request.stackTraceHandle }
      const urn = await itself(request, monitor, { ...madeAt(root, 'inside', 2), ...above })
      await thing(monitor, 'c/a', {}, { parent: urn, ...madeAt(root, 'inside', 3), ...above })
      const args = { name: 'c' }
      await monitor.call({ tok: 'comp:index:go', args, ...madeAt(root, 'inside', 4), ...above })
      return { urn }
    },
    method: async ({ args, stackTraceHandle }, monitor) => {
      const above = { parentStackTraceHandle: stackTraceHandle }
      const name = `${String(args?.['name'])}/b`
      await monitor.read(name, 'id', { ...madeAt(root, 'inside', 5), ...above })
      return {}
    },
  })
  const engine = await engines.of(cloud, { comp: script })
  root = engine.home
  const ran = await engine.run(async monitor => {
    await thing(monitor, 'a', {}, madeAt(root, 'main', 2))
    await monitor.read('b', 'id', madeAt(root, 'main', 3))
    await component(monitor, 'c', madeAt(root, 'main', 4))
    await monitor.call({ tok: 'comp:index:go', args: { name: 'd' }, ...madeAt(root, 'main', 5) })
  })
  expect(ran.result.result).toBe('succeeded')
  const constructed = ['main#1', 'main#4', 'inside#1']
  expect(traceOf(ran, 'a')).toEqual(['main#2', 'main#1', 'main#2'])
  expect(traceOf(ran, 'b')).toEqual(['main#3', 'main#1', 'main#3'])
  expect(traceOf(ran, 'c')).toEqual(['inside#2', ...constructed, 'inside#2'])
  expect(traceOf(ran, 'c/a')).toEqual(['inside#3', ...constructed, 'inside#3'])
  const called = [...constructed, 'inside#4', 'inside#1', 'inside#5']
  expect(traceOf(ran, 'c/b')).toEqual(['inside#5', ...called])
  expect(traceOf(ran, 'd/b')).toEqual(['inside#5', 'main#1', 'main#5', 'inside#1', 'inside#5'])
})
