/** The messages of each error code, read from the code that throws the errors. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CatalogueRow, catalogue } from '../../../shared/errors/catalogue.ts'
import { formatCell } from './format-cell.ts'

const sourceFolders = ['cli', 'functions', 'infra', 'local', 'shared']
/** An error with its code and its message, which is a text or a template on one line. */
const thrownPattern =
  /\bcreateError\(\s*'([A-Z_]+)',\s*(?:'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g

/** Returns the distinct messages of each code, where `…` stands for a value. */
export function listMessages(sources: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const messages = new Map<string, Set<string>>()
  for (const source of sources)
    for (const [, code = '', text = '', template] of source.matchAll(thrownPattern)) {
      const message = template === undefined ? text : fillPlaceholders(template)
      const known = messages.get(code) ?? new Set()
      messages.set(code, known.add(message.replaceAll(/\\(.)/g, '$1')))
    }
  return new Map([...messages].map(([code, texts]) => [code, [...texts].toSorted()]))
}

/** Replaces each placeholder of a template, with the braces inside of it, by `…`. */
function fillPlaceholders(template: string): string {
  return template.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
}

/** Renders the page of all codes with cause and next step. */
export function renderMessages(repositoryFolder: string): string {
  const messages = listMessages(readSources(repositoryFolder))
  const sections = Object.entries<CatalogueRow>(catalogue).map(([code, { exit, hint }]) => {
    const causes = (messages.get(code) ?? []).map(text => `- ${escapeText(text)}`)
    const list = causes.length === 0 ? [] : [`Messages:\n\n${causes.join('\n')}`]
    return [`## ${code}`, `Exit code ${exit}. ${hint}`, ...list].join('\n\n')
  })
  return ['# Causes of errors', introduction, ...sections].join('\n\n')
}

const introduction = `This page is generated from the catalogue of errors, and from the code that
throws them. A message names the cause, where \`…\` stands for a name or a number.
[Errors](../errors.md) explains the format of an error and the exit codes.`

/** Escapes the characters of a message that Markdown would interpret. */
function escapeText(text: string): string {
  return formatCell(text).replaceAll(/[*_[\]]/g, '\\$&')
}

function readSources(repositoryFolder: string): readonly string[] {
  return sourceFolders.flatMap(folder =>
    readdirSync(join(repositoryFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map(path => readFileSync(join(repositoryFolder, folder, path), 'utf8')),
  )
}
