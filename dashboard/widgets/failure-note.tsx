import type { ApiFailure } from '../api/api-failure.ts'
import { TextWithCode } from './text-with-code.tsx'

/** Shows a failed request where its result was expected, with the hint of the API. */
export function FailureNote({ failure, title }: { failure: ApiFailure; title?: string }) {
  return (
    <div role="alert" className="note note-bad">
      {title === undefined ? null : <p className="note-title">{title}</p>}
      <p>
        <TextWithCode text={startWithCapital(failure.message)} />
      </p>
      {failure.hint === '' ? null : (
        <p className="note-hint">
          <TextWithCode text={failure.hint} />
        </p>
      )}
      <p className="note-code">{failure.code}</p>
    </div>
  )
}

function startWithCapital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
