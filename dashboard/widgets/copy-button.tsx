import { useState } from 'react'
import { Button } from 'react-aria-components'

/**
 * Shows a button that copies a text. Shows nothing on a page without TLS, because browsers offer no
 * clipboard to it.
 */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false)
  if (!isSecureContext) return null
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 1_500)
  }
  return (
    <Button
      className="copy-button"
      aria-label={isCopied ? 'Copied' : label}
      onPress={() => void copy().catch(() => undefined)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={isCopied ? 'M4 8.5l2.6 2.6L12 5.5' : 'M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6'} />
      </svg>
    </Button>
  )
}
