import { isUtf8 } from 'node:buffer'
import { Writable } from 'node:stream'
import { createInterface } from 'node:readline'
import { isatty } from 'node:tty'
import { createError } from '../../shared/errors/error.ts'
import { chooseOption } from './choose-option.ts'
import type { Io } from './io.ts'
import { reportFailure } from './report-failure.ts'

/** Returns the terminal and process in which the command line runs. */
export function createTerminalIo(): Io {
  // The reader of the output may end early (`| head`), but a deployment continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // The first use of `process.stdin` opens it, which most commands do not need.
  const isInputTerminal = isatty(0)
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    isTerminal: isInputTerminal && process.stdout.isTTY === true,
    prompt: question => promptLine(question, false),
    promptHidden: question => promptLine(question, true),
    ...(isInputTerminal
      ? {
          choose: (question, choice) =>
            chooseOption({ input: process.stdin, output: process.stderr }, question, choice),
        }
      : {}),
    readInput: async () => {
      const chunks: Uint8Array[] = []
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
      const bytes = Buffer.concat(chunks)
      // A decoder would replace the bytes, and so change a state or a secret without a message.
      if (isUtf8(bytes)) return bytes.toString()
      throw createError('FILE_UNREADABLE', 'standard input is not a text in UTF-8', {
        hint: 'Convert the text to UTF-8.',
      })
    },
    onInterrupt: onSignal => {
      const handleSignal = (): void => {
        try {
          onSignal()
        } catch (thrown) {
          process.exit(reportFailure(thrown, process.stderr, false))
        }
      }
      process.on('SIGINT', handleSignal)
      process.on('SIGTERM', handleSignal)
      return () => {
        process.off('SIGINT', handleSignal)
        process.off('SIGTERM', handleSignal)
      }
    },
  }
}

function promptLine(question: string, isHidden: boolean): Promise<string> {
  process.stderr.write(`${question} `)
  const output = isHidden
    ? new Writable({ write: (_chunk, _encoding, callback) => callback() })
    : process.stderr
  const reader = createInterface({ input: process.stdin, output, terminal: true })
  return new Promise(resolve => {
    let answer = ''
    reader.once('line', line => {
      answer = line
      reader.close()
    })
    // readline intercepts Ctrl-C at a prompt, so the signal is sent to the process.
    reader.once('SIGINT', () => {
      reader.close()
      process.kill(process.pid, 'SIGINT')
    })
    reader.once('close', () => {
      if (isHidden) process.stderr.write('\n')
      resolve(answer)
    })
  })
}
