import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DisplayOptions } from '../session/tools.ts'
import { createLoggedDisplay } from './event-log.ts'

test('a display warns once of a log that cannot be written, and shows all events', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-log-'))
  try {
    const shown: EngineEventPayload[] = []
    const tools = {
      openDisplay: async () => ({
        emit: (event: EngineEventPayload) => void shown.push(event),
        finish: () => undefined,
      }),
    }
    const { display, close } = await createLoggedDisplay(tools, {} as DisplayOptions, {
      target: 'events.json',
      cwd: folder,
    })
    // A write to the closed file fails, as a write to a full disk does.
    await close()
    const event = { stdoutEvent: { message: 'x', color: 'raw' } } as const
    display.emit(event)
    display.emit(event)
    const warning = { diagnosticEvent: { severity: 'warning' } }
    expect(shown).toMatchObject([event, warning, event])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
