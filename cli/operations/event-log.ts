import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { credentials } from '@grpc/grpc-js'
import { EventsClient } from '../../proto/gen/pulumi/events.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import { createJsonLines } from '../display/json-lines.ts'
import type { Display, Tools } from '../session/tools.ts'

/** Where lines of events go. */
interface LineSink {
  readonly write: (line: string) => void
  /** Resolves when whoever reads has them, or does not answer any more. */
  readonly close: () => Promise<void>
}

/** A display, and what is done when nothing more is told. */
interface LoggedDisplay {
  readonly display: Display
  readonly close: () => Promise<void>
}

/**
 * A display that also hands each event, as `--json` prints it, to `--event-log`: a file, which is
 * emptied first, or `tcp://host:port` of a program that serves `pulumirpc.Events`. Throws CLI_USAGE
 * for a file that cannot be written.
 */
export async function createLoggedDisplay(
  tools: Pick<Tools, 'openDisplay'>,
  options: Parameters<Tools['openDisplay']>[0],
  log: { readonly target: string | undefined; readonly cwd: string },
): Promise<LoggedDisplay> {
  const display = await tools.openDisplay(options)
  if (log.target === undefined) return { display, close: () => Promise.resolve() }
  const lines = log.target.startsWith('tcp://')
    ? sendLines(log.target.slice('tcp://'.length))
    : openFileLines(resolve(log.cwd, log.target))
  const print = createJsonLines(lines.write, () => Math.floor(Date.now() / 1000))
  const emit: Display['emit'] = (event, states) => {
    print(event)
    display.emit(event, states)
  }
  return { display: { ...display, emit }, close: lines.close }
}

function openFileLines(path: string): LineSink {
  const file = openFile(path)
  return {
    write: line => void writeSync(file, line),
    close: () => Promise.resolve(closeSync(file)),
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'w')
  } catch (thrown) {
    throw error('CLI_USAGE', `the event log cannot be written: ${messageOf(thrown)}`, {
      hint: 'Give --event-log a file in a folder that exists and may be written to.',
    })
  }
}

/** Events for another program; one that is gone stops no deployment. */
function sendLines(address: string): LineSink {
  const client = new EventsClient(address, credentials.createInsecure())
  const taken = Promise.withResolvers<void>()
  const stream = client.streamEvents(() => taken.resolve())
  stream.on('error', () => taken.resolve())
  return {
    write: line => void stream.write({ event: line }),
    async close() {
      stream.end()
      const late = setTimeout(taken.resolve, closeMs)
      await taken.promise
      clearTimeout(late)
      client.close()
    },
  }
}

/** How long a reader of events may take to read the last ones, in ms. */
const closeMs = 10_000
