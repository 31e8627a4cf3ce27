import type { Socket } from 'node:net'
import { limits } from '../../../config/limits.ts'

/**
 * Splits the data of a socket into lines of JSON, and passes the parsed values to `onValue`. A line
 * that is too long or invalid closes the connection. Returns a function that writes a value to the
 * socket as a line.
 */
export function createLineChannel(socket: Socket, onValue: (value: unknown) => void): LineWriter {
  let lineParts: string[] = []
  let lineChars = 0
  socket.setEncoding('utf8')
  socket.on('data', chunk => {
    const text = String(chunk)
    const pieces = text.split('\n')
    for (const [index, piece] of pieces.entries()) {
      lineParts.push(piece)
      lineChars += piece.length
      if (lineChars > limits.storeLineCharsMax) return void socket.destroy()
      if (index === pieces.length - 1) continue
      const line = lineParts.join('')
      lineParts = []
      lineChars = 0
      const value = parseLine(line)
      if (value === undefined) return void socket.destroy()
      onValue(value)
    }
  })
  return value => socket.write(`${JSON.stringify(value)}\n`)
}

/** The function that writes one value as a line. */
export type LineWriter = (value: unknown) => void

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
