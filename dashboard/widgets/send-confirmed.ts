import { type ApiFailure, toFailure } from '../api/api-failure.ts'

/** The progress of a confirmed action. `ready`: it can be sent, again after a failure. */
export type ConfirmedAction =
  | { readonly kind: 'ready'; readonly failure?: ApiFailure }
  | { readonly kind: 'sending' }
  | { readonly kind: 'done'; readonly text: string }

/**
 * Runs a confirmed action, and shows its progress. A text as the result is shown, and any other
 * result closes the confirmation. An error is shown until the action is sent again.
 */
export async function sendConfirmed(
  run: () => Promise<unknown>,
  { show, close }: { readonly show: (action: ConfirmedAction) => void; readonly close: () => void },
): Promise<void> {
  show({ kind: 'sending' })
  try {
    const result = await run()
    if (typeof result === 'string') show({ kind: 'done', text: result })
    else close()
  } catch (thrown) {
    show({ kind: 'ready', failure: toFailure(thrown) })
  }
}
