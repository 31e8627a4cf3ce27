import * as z from 'zod'

/** Parses a text into its parts between commas, without empty ones. */
export const commaSeparatedList = z
  .string()
  .default('')
  .transform(text =>
    text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  )
