import { expect, test } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { showDeploymentEvents } from './stack-history-events.ts'

/** Pages of an API that returns fewer events than the client requests. */
const pages = [
  { items: [{ stdoutEvent: {} }], next: '5', hasMore: true },
  { items: [{ diagnosticEvent: {} }], next: '9', hasMore: true },
  { items: [{ summaryEvent: {} }], next: '12', hasMore: false },
]

test('stack history events --all reads on after a page that is shorter than its limit', async () => {
  const cursors: (string | null)[] = []
  const lines: string[] = []
  const session = {
    requireStack: async () => 'organization/shop/dev',
    openEngine: async () => ({
      callApi: async ({ path }: { readonly path: string }) => {
        cursors.push(new URL(path, 'http://localhost').searchParams.get('cursor'))
        return pages[cursors.length - 1]
      },
    }),
    print: (line: string) => void lines.push(line),
  } as unknown as CliSession
  const flags = {
    isSet: (name: string) => ['all', 'json'].includes(name),
    text: () => undefined,
    list: () => [],
  } as unknown as Flags
  expect(await showDeploymentEvents(session, flags, ['3'])).toBe(0)
  expect(JSON.parse(lines.join('\n'))).toEqual([
    { stdoutEvent: {} },
    { diagnosticEvent: {} },
    { summaryEvent: {} },
  ])
  expect(cursors).toEqual([null, '5', '9'])
})
