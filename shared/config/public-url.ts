import * as z from 'zod'

/** Maximum length of the public address of the dashboard. */
const urlCharsMax = 500

/**
 * The public address of the dashboard: a URL of http or https without user, password, query and
 * fragment. Parentheses and spaces would break a link in a comment.
 */
export const publicUrlForm = z
  .url({ protocol: /^https?$/, error: 'a URL, such as https://deploy.example.com' })
  .max(urlCharsMax)
  .regex(/^[^@?#()\s]*$/, 'a URL without user, query, fragment, parentheses and spaces')
