import { describe, expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DisplayOptions } from '../session/tools.ts'
import { createDisplay } from './choose-display.ts'
import {
  createRecordingStream,
  createTestDisplayOptions,
  metadataOf,
  thingUrnOf,
} from './display.fixture.ts'

const treeOptions = { interactive: true }

/** Returns the text printed for these events. */
async function printEvents(
  events: readonly EngineEventPayload[],
  options: Partial<DisplayOptions> = {},
): Promise<string> {
  const stdout = createRecordingStream({
    isTTY: options.interactive === true,
    columns: 200,
    rows: 40,
  })
  const display = createDisplay(createTestDisplayOptions({ stdout, ...options }))
  for (const event of events) display.emit(event)
  display.emit({ cancelEvent: {} })
  await display.finish({ result: 'succeeded', changes: {}, hasChanges: false, pending: [] })
  return stdout.text()
}

const createStepEvents = (
  metadata: ReturnType<typeof metadataOf>,
): readonly EngineEventPayload[] => [
  { resourcePreEvent: { metadata } },
  { resOutputsEvent: { metadata } },
]

describe.each([
  ['lines', {}],
  ['a tree', treeOptions],
])('the display as %s', (_, shape) => {
  test('resources that are only read are shown on request', async () => {
    const events = [
      ...createStepEvents(metadataOf('read', 'seen')),
      ...createStepEvents(metadataOf('create', 'made')),
    ]
    const defaultText = await printEvents(events, shape)
    expect(defaultText).toMatch(/made +created/)
    expect(defaultText).not.toMatch(/seen +read/)
    expect(await printEvents(events, { ...shape, showReads: true })).toMatch(/seen +read/)
  })

  test('a read that fails is always shown', async () => {
    const metadata = metadataOf('read', 'seen')
    const events = [
      { resourcePreEvent: { metadata } },
      { resOpFailedEvent: { metadata, status: 0, steps: 1 } },
    ]
    expect(await printEvents(events, shape)).toMatch(/seen +reading failed/)
  })

  test('debug messages are shown on request', async () => {
    const events = [
      {
        diagnosticEvent: {
          severity: 'debug',
          message: 'asked twice',
          color: 'raw',
          urn: thingUrnOf('a'),
        },
      },
    ] as const
    expect(await printEvents(events, shape)).not.toContain('asked twice')
    expect(await printEvents(events, { ...shape, debug: true })).toContain('debug: a: asked twice')
  })

  test('whole URNs are shown on request', async () => {
    const events = [
      ...createStepEvents(metadataOf('create', 'a')),
      {
        diagnosticEvent: {
          severity: 'info',
          message: 'hello',
          color: 'raw',
          urn: thingUrnOf('a'),
        },
      },
    ] as const
    const text = await printEvents(events, { ...shape, urns: true })
    expect(text.replaceAll(/ +/g, ' ')).toContain(` + ${thingUrnOf('a')} created`)
    expect(text).toContain(`${thingUrnOf('a')}: hello`)
    expect(await printEvents(events, shape)).not.toContain(thingUrnOf('a'))
  })

  test('the configuration is shown on request, ordered by key', async () => {
    const events = [{ preludeEvent: { config: { 'site:b': '[secret]', 'site:a': '1' } } }]
    expect(await printEvents(events, shape)).not.toContain('site:')
    expect(await printEvents(events, { ...shape, showConfig: true })).toContain(
      'Configuration:\n    site:a: 1\n    site:b: [secret]\n',
    )
  })

  test('the properties that a policy changed are shown on request', async () => {
    const events = [
      {
        policyRemediationEvent: {
          resourceUrn: thingUrnOf('a'),
          color: 'raw',
          policyName: 'tagged',
          policyPackName: 'pack',
          policyPackVersion: '1.0.0',
          policyPackVersionTag: '1.0.0',
          before: { size: 1, tags: { team: 'x' } },
          after: { size: 1, tags: { team: 'x', cost: 'y' }, open: false },
        },
      },
    ]
    const summary = await printEvents(events, shape)
    expect(summary).toContain('[remediate] pack@v1.0.0  tagged')
    expect(summary).not.toContain('cost')
    const text = await printEvents(events, { ...shape, showPolicyRemediations: true })
    expect(text).toMatch(/\+ open: false\n\s+~ tags:\n\s+\+ cost: "y"\n/)
  })
})
