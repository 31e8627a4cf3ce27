import { Server, ServerCredentials } from '@grpc/grpc-js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EventsService, type EventRequest } from '../../../proto/gen/pulumi/events.ts'
import { type CliBench, createCliBench } from './cli-bench.ts'

let bench: CliBench
const servers: Server[] = []

/** The numbers and kinds of the events of each deployment. */
const allEvents = ['0 preludeEvent', '1 diagnosticEvent', '2 diagnosticEvent', '3 diagnosticEvent']

beforeEach(async () => {
  bench = createCliBench()
  for (const message of ['one', 'two', 'three'])
    bench.events.push({
      diagnosticEvent: { urn: '', prefix: '', message, color: 'raw', severity: 'info' },
    })
  await bench.run('stack', 'init', 'dev')
})
afterEach(() => servers.splice(0).forEach(server => server.forceShutdown()))

/** Returns the numbers and kinds of events, one line each. */
const describeEvents = (lines: readonly string[]): readonly string[] =>
  lines.map(line => {
    const { sequence, timestamp, ...payload } = JSON.parse(line) as Record<string, unknown>
    expect(timestamp).toBeGreaterThan(1_700_000_000)
    return `${String(sequence)} ${Object.keys(payload).join()}`
  })

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n')

test('--event-log replaces a file and writes every event to it, besides the display', async () => {
  writeFileSync(join(bench.root, 'events.txt'), 'of an earlier run\n')
  const { exit, out } = await bench.run('up', '-y', '-f', '--json', '--event-log', 'events.txt')
  expect(exit).toBe(0)
  const lines = linesOf(bench.read('events.txt'))
  expect(describeEvents(lines)).toEqual(allEvents)
  expect(linesOf(out)).toHaveLength(allEvents.length)
})

test('an event log in a missing folder is refused before the deployment', async () => {
  const { exit, err } = await bench.run('up', '-y', '-f', '--event-log', 'nowhere/events.txt')
  expect(exit).not.toBe(0)
  expect(err).toMatch(/cannot write the event log/)
  expect(bench.requests).toEqual([])
})

test('--event-log with a tcp:// address sends the events to another program before the run ends', async () => {
  const received: string[] = []
  const server = new Server()
  servers.push(server)
  server.addService(EventsService, {
    streamEvents: (
      call: AsyncIterable<EventRequest>,
      reply: (failed: null, answer: object) => void,
    ) => {
      void (async () => {
        for await (const { event } of call) received.push(event)
        reply(null, {})
      })()
    },
  })
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (thrown, bound) =>
      thrown === null ? resolve(bound) : reject(thrown),
    ),
  )
  const address = `tcp://127.0.0.1:${port}`
  expect((await bench.run('up', '-y', '-f', '--event-log', address)).exit).toBe(0)
  expect(describeEvents(received)).toEqual(allEvents)
})

test('an unreachable tcp:// address stops no deployment', async () => {
  const { exit } = await bench.run('up', '-y', '-f', '--event-log', 'tcp://127.0.0.1:9')
  expect(exit).toBe(0)
  expect(bench.requests).toHaveLength(1)
})
