import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { credentials } from '@grpc/grpc-js'
import { EventsClient } from '../../proto/gen/pulumi/events.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { createJsonLines } from '../display/json-lines.ts'
import type { Display, Tools } from '../session/tools.ts'

/** A destination of event lines. */
interface LineSink {
  readonly write: (line: string) => void
  /** Resolves when the destination has received the lines, or has not responded in time. */
  readonly close: () => Promise<void>
}

/** A display, and the function that closes its event log. */
interface LoggedDisplay {
  readonly display: Display
  readonly close: () => Promise<void>
}

/**
 * Creates a display that also writes each event, in the format of `--json`, to `--event-log`. The
 * log is a file, which is truncated first, or `tcp://host:port` of a program that serves
 * `pulumirpc.Events`. After a failed write to the file, the display warns, and the log ends. A lost
 * connection ends the log without a warning. Events after the close are only shown. Throws
 * CLI_USAGE when the file cannot be opened.
 */
export async function createLoggedDisplay(
  tools: Pick<Tools, 'openDisplay'>,
  options: Parameters<Tools['openDisplay']>[0],
  log: { readonly target: string | undefined; readonly cwd: string },
): Promise<LoggedDisplay> {
  // The log is opened first, because a display already prints its title when it is opened.
  const sink = log.target === undefined ? undefined : openSink(log.target, log.cwd)
  const display = await tools.openDisplay(options)
  if (sink === undefined) return { display, close: () => Promise.resolve() }
  const print = createJsonLines(sink.write, () => Math.floor(Date.now() / 1000))
  // The log ends after a failed write, and at its close. After the close, another file may get the
  // descriptor of this file.
  let isLogEnded = false
  const emit: Display['emit'] = (event, states) => {
    display.emit(event, states)
    if (isLogEnded) return
    try {
      print(event)
    } catch (thrown) {
      // For example, the disk is full. The deployment must continue.
      isLogEnded = true
      const message = `cannot write the event log: ${messageOf(thrown)}\n`
      display.emit({ diagnosticEvent: { message, color: 'raw', severity: 'warning' } })
    }
  }
  const close = (): Promise<void> => {
    isLogEnded = true
    return sink.close()
  }
  return { display: { ...display, emit }, close }
}

function openSink(target: string, cwd: string): LineSink {
  return target.startsWith('tcp://')
    ? openStreamSink(target.slice('tcp://'.length))
    : openFileSink(resolve(cwd, target))
}

function openFileSink(path: string): LineSink {
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
    throw createError('CLI_USAGE', `cannot write the event log: ${messageOf(thrown)}`, {
      hint: 'Pass --event-log a file in an existing, writable folder.',
    })
  }
}

/** Opens a stream of event lines to another program. A lost connection only ends the stream. */
function openStreamSink(address: string): LineSink {
  const client = new EventsClient(address, credentials.createInsecure())
  const acknowledgement = Promise.withResolvers<void>()
  const stream = client.streamEvents(() => acknowledgement.resolve())
  stream.on('error', () => acknowledgement.resolve())
  return {
    write: line => void stream.write({ event: line }),
    async close() {
      stream.end()
      const timeout = setTimeout(acknowledgement.resolve, closeTimeoutMs)
      await acknowledgement.promise
      clearTimeout(timeout)
      client.close()
    },
  }
}

/** The other program must acknowledge the events within this time after the last event. */
const closeTimeoutMs = 10_000
