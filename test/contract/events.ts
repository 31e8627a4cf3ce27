import { describe, expect, test } from 'vitest'
import type { EventsPort } from '../../shared/ports/records.ts'
import { type OpenAdapter, createDeploymentId, withAdapter } from './open-adapter.ts'

/** Tests lines of engine events. */
export function defineEventsContract(
  name: string,
  open: OpenAdapter<{ readonly events: EventsPort }>,
): void {
  describe(`events: ${name}`, () => {
    let events: EventsPort
    withAdapter(open, adapter => {
      events = adapter.events
    })

    test('the lines of a writer are read in order, from a cursor on', async () => {
      const deployment = createDeploymentId()
      await events.append(deployment, 'w', 0, ['a', 'b', 'c'])
      const first = await events.read(deployment, 0, 2)
      expect(first.events).toEqual(['a', 'b'])
      await events.append(deployment, 'w', 3, ['d'])
      const second = await events.read(deployment, first.cursor, 10)
      expect(second.events).toEqual(['c', 'd'])
      expect(await events.read(deployment, second.cursor, 10)).toEqual({
        events: [],
        cursor: second.cursor,
        hasMore: false,
      })
    })

    test('the pages of many appends have all lines, and `hasMore` is false only on the last one', async () => {
      const deployment = createDeploymentId()
      const lines = Array.from({ length: 50 }, (_, number) => String(number))
      for (const [number, line] of lines.entries())
        await events.append(deployment, 'w', number, [line])
      const readLines: string[] = []
      for (let cursor = 0; ; ) {
        const page = await events.read(deployment, cursor, 100)
        readLines.push(...page.events)
        if (!page.hasMore) break
        cursor = page.cursor
      }
      expect(readLines).toEqual(lines)
      expect(await events.read(deployment, 0, 1)).toMatchObject({ events: ['0'], hasMore: true })
    })

    test('a repeated append changes nothing, and a partly new one adds the new lines', async () => {
      const deployment = createDeploymentId()
      await events.append(deployment, 'w', 0, ['a', 'b'])
      await events.append(deployment, 'w', 0, ['a', 'b'])
      await events.append(deployment, 'w', 1, ['b', 'c'])
      expect((await events.read(deployment, 0, 10)).events).toEqual(['a', 'b', 'c'])
    })

    test('a reader gets every line of every writer', async () => {
      const deployment = createDeploymentId()
      await events.append(deployment, 'v', 0, ['v0'])
      const first = await events.read(deployment, 0, 10)
      await events.append(deployment, 'w', 0, ['w0'])
      await events.append(deployment, 'v', 1, ['v1'])
      const second = await events.read(deployment, first.cursor, 10)
      expect([...first.events, ...second.events].sort()).toEqual(['v0', 'v1', 'w0'])
    })

    test('a deployment does not contain the lines of another', async () => {
      const [writtenDeployment, otherDeployment] = [createDeploymentId(), createDeploymentId()]
      await events.append(writtenDeployment, 'w', 0, ['a'])
      expect((await events.read(otherDeployment, 0, 10)).events).toEqual([])
    })
  })
}
