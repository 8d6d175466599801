import mark from './mark.svg'

/** Our mark, next to the name. */
export const Mark = () => <img src={mark} alt="" width={24} height={24} />
