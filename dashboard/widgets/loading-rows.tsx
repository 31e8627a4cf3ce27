const widths = ['long', 'short', 'middle', 'long', 'middle', 'short'] as const

/** Shows the outline of rows that are being read. */
export function LoadingRows({ label }: { label: string }) {
  return (
    <div role="status" className="loading-rows">
      <span className="visually-hidden">{label}</span>
      {widths.map((width, index) => (
        <span key={index} className={`loading-row loading-${width}`} />
      ))}
    </div>
  )
}
