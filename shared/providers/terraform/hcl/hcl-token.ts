import { createError } from '../../../errors/error.ts'
import type { HclPlace } from './syntax.ts'

/** A piece of a text in Terraform's language. */
export interface HclToken extends HclPlace {
  /** `mark`: an operator, a bracket or a separator. */
  readonly kind: 'name' | 'template' | 'number' | 'mark' | 'newline' | 'end'
  /** The text of the token. For a template, its opening: a quotation mark or a heredoc's marker. */
  readonly text: string
  /** The pieces of a template. Other tokens have none. */
  readonly pieces: readonly TemplatePiece[]
}

/** Creates an error for a place in a file. */
export type HclErrorFactory = (place: HclPlace, problem: string) => Error

/** The deepest nesting of templates, blocks and expressions. Terraform programs have about ten. */
export const maxHclDepth = 100

/** Returns the function that creates the errors of one file. They name the file and the place. */
export function createHclErrorFactory(file: string): HclErrorFactory {
  return ({ line, column }, problem) =>
    createError('TERRAFORM_FILE_INVALID', `cannot read ${file}:${line}:${column}: ${problem}`)
}

/** A piece of a template: text, or the tokens between `${` or `%{` and their `}`. */
export type TemplatePiece =
  | { readonly kind: 'text'; readonly text: string }
  | (HclPlace & {
      readonly kind: 'interpolation' | 'directive'
      readonly tokens: readonly HclToken[]
    })
