import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DisplayOptions } from '../session/tools.ts'
import { createLoggedDisplay } from './event-log.ts'

const event = { stdoutEvent: { message: 'x', color: 'raw' } } as const
let folder = ''
let shown: EngineEventPayload[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-log-'))
  shown = []
})

afterEach(() => rmSync(folder, { recursive: true }))

const openLog = (target: string) =>
  createLoggedDisplay(
    {
      openDisplay: async () => ({
        emit: (shownEvent: EngineEventPayload) => void shown.push(shownEvent),
        finish: () => undefined,
      }),
    },
    {} as DisplayOptions,
    { target, cwd: folder },
  )

test('a display warns once of a log on a full disk, and shows all events', async () => {
  const { display, close } = await openLog('/dev/full')
  display.emit(event)
  display.emit(event)
  const warning = { diagnosticEvent: { severity: 'warning' } }
  expect(shown).toMatchObject([event, warning, event])
  await close()
})

test('no display is opened for a log that cannot be written', async () => {
  let displays = 0
  const openDisplay = async () => {
    displays += 1
    return { emit: () => undefined, finish: () => undefined }
  }
  const log = { target: 'missing/events.json', cwd: folder }
  await expect(createLoggedDisplay({ openDisplay }, {} as DisplayOptions, log)).rejects.toThrow(
    'cannot write the event log',
  )
  // A display prints the begin of a group in the log of a CI job, and only its end closes the group.
  expect(displays).toBe(0)
})

test('a display shows events after the close of its log, and writes them to no file', async () => {
  const { display, close } = await openLog('events.json')
  display.emit(event)
  await close()
  // The next file that is opened gets the file descriptor of the closed one.
  const other = await openLog('other.json')
  display.emit(event)
  await other.close()
  expect(shown).toEqual([event, event])
  expect(readFileSync(join(folder, 'events.json'), 'utf8').split('\n')).toHaveLength(2)
  expect(readFileSync(join(folder, 'other.json'), 'utf8')).toBe('')
})
