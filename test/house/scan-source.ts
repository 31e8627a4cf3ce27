/**
 * Splits TypeScript text into code, comments and strings, so that a rule reads only one of them. It
 * is a single-pass scanner, because the compiler has no API for syntax trees.
 */

/** A piece of text with its first line, counted from 1. */
export interface Piece {
  readonly line: number
  readonly text: string
}

export interface ScannedSource {
  /** The text with comments and the contents of strings replaced by spaces. */
  readonly code: string
  /** Comments without their markers. Adjacent line comments are one piece. */
  readonly comments: readonly Piece[]
  /** The contents of strings and templates. Each placeholder of a template is `X`. */
  readonly strings: readonly Piece[]
}

const token =
  /(?<block>\/\*[\s\S]*?\*\/)|(?<line>\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|(?<single>'(?:[^'\\\n]|\\.)*')|(?<double>"(?:[^"\\\n]|\\.)*")|(?<template>`)|(?<regex>(?<=[(,=:[!&|?{};\n>]\s*|\breturn\s+)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)|(?<brace>[{}])/g

/** Scans a whole file. */
export function scanSource(text: string): ScannedSource {
  const comments: Piece[] = []
  const strings: Piece[] = []
  const blanked: (readonly [from: number, to: number])[] = []
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length
  /** The start of each open template, and the number of open braces in its placeholder. */
  const templates: { braces: number }[] = []
  const scanner = new RegExp(token)
  const readTemplate = (from: number): void => {
    let end = from
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end))
      end += text[end] === '\\' ? 2 : 1
    blanked.push([from, end])
    const isPlaceholder = text[end] === '$'
    const piece = text.slice(from, end)
    const open = strings.at(-1)
    if (text[from - 1] === '}' && open !== undefined)
      strings[strings.length - 1] = { ...open, text: `${open.text}X${piece}` }
    else strings.push({ line: lineOf(from), text: piece })
    if (!isPlaceholder) templates.pop()
    scanner.lastIndex = end + (isPlaceholder ? 2 : 1)
  }
  for (let match = scanner.exec(text); match !== null; match = scanner.exec(text)) {
    const { index, 0: found, groups = {} } = match
    const open = templates.at(-1)
    if (groups['template'] !== undefined) {
      templates.push({ braces: 0 })
      readTemplate(index + 1)
    } else if (groups['brace'] !== undefined) {
      if (open === undefined) continue
      if (found === '}' && open.braces === 0) readTemplate(index + 1)
      else open.braces += found === '{' ? 1 : -1
    } else {
      blanked.push([index, index + found.length])
      const isComment = groups['block'] !== undefined || groups['line'] !== undefined
      if (isComment) comments.push({ line: lineOf(index), text: withoutMarkers(found) })
      else if (groups['regex'] === undefined)
        strings.push({ line: lineOf(index), text: found.slice(1, -1) })
    }
  }
  return { code: blank(text, blanked), comments, strings }
}

function withoutMarkers(comment: string): string {
  return comment
    .replaceAll(/^\s*(?:\/\*\*?|\/\/|\*(?!\/))[ \t]?/gm, '')
    .replace(/\*\/$/, '')
    .trim()
}

function blank(text: string, ranges: readonly (readonly [number, number])[]): string {
  let code = ''
  let from = 0
  for (const [start, end] of ranges) {
    code += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ')
    from = end
  }
  return code + text.slice(from)
}
