import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { listExamples } from '../arguments/examples.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatManPage, listCommands, toPageName } from '../man/format-man-page.ts'

/**
 * Creates the handler of `gen-man <folder>`, which writes a manual page for `root` and for each
 * visible command below it. It creates a missing folder, and overwrites earlier pages.
 */
export function createGenManHandler(root: Command): Handler {
  return (session, _flags, [operand = '.']) => {
    const folder = resolve(session.cwd, operand)
    mkdirSync(folder, { recursive: true })
    let count = 0
    const writePages = (command: Command, path: string): void => {
      const examples = listExamples(path)
      const text = formatManPage(command, { path, examples, version: manifest.version })
      writeFileSync(join(folder, `${toPageName(path)}.1`), text)
      count += 1
      for (const child of listCommands(command, command.createHelp()))
        writePages(child, `${path} ${child.name()}`.trim())
    }
    writePages(root, '')
    session.printToStderr(`Wrote ${count} manual pages to ${folder}.`)
    return Promise.resolve(0)
  }
}
