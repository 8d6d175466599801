import classes from './list-sheet.module.css'

type Sheet = { label: string; rows: readonly string[]; direction: 'ltr' | 'rtl' }

/** The sheet that the phone opens when the button of a list is tapped. */
export function ListSheet({ label, rows, direction }: Sheet) {
  return (
    <ul className={classes['sheet']} aria-label={label} dir={direction}>
      {rows.map((row) => (
        <li key={row}>{row}</li>
      ))}
    </ul>
  )
}
