import type { Piece } from './scan-source.ts'

/**
 * Splits a Markdown page into pieces of prose: headings, paragraphs, list items, table cells and
 * the texts of links. Code blocks and HTML comments are left out. A code span, a link and the
 * quoted name of a test are one word, `X`.
 */
export function scanDocument(page: string): readonly Piece[] {
  const lines = blank(page, /^[ \t]*(`{3,})[\s\S]*?^[ \t]*\1|<!--[\s\S]*?-->/gm).split('\n')
  const blocks: { line: number; text: string }[] = []
  let isOpen = false
  for (const [index, line] of lines.entries()) {
    const isStart = /^\s*(?:[-*+] |\d+[.)] |#|\||>|$)/.test(line)
    if (isStart || !isOpen) blocks.push({ line: index + 1, text: line })
    else blocks[blocks.length - 1] = extend(blocks.at(-1), line)
    isOpen = !/^\s*(?:#|\||$)/.test(line)
  }
  return blocks.flatMap(({ line, text }) => listProse(text).map(prose => ({ line, text: prose })))
}

function extend(block: Piece | undefined, line: string): Piece {
  return { line: block?.line ?? 1, text: `${block?.text ?? ''}\n${line}` }
}

/** Returns the cells of a row or the text of another block, and the texts of the links in it. */
function listProse(block: string): readonly string[] {
  const text = block
    .replaceAll(/(`+)[\s\S]*?\1/g, 'X')
    .replace(/^\s*(?:[-*+] |\d+[.)] |#+ |> ?)/, '')
    .replaceAll(/\*+|__/g, '')
  const link = /!?\[([^\]]*)\]\([^)]*\)/g
  const cells = text
    .replaceAll(link, 'X')
    .replaceAll(/(?<=X: |· )'[^'\n]+'/g, 'X')
    .split(/<br>|(?<!\\)\|/)
  return [...cells, ...[...text.matchAll(link)].map(([, linkText = '']) => linkText)]
}

/** Replaces the matches by nothing. Line breaks stay. */
function blank(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, match => match.replaceAll(/[^\n]/g, ''))
}
