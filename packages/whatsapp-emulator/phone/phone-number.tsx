import { groupsOfPhone } from './phone-groups.ts'
import style from './phone.module.css'

/** A number in groups of digits. */
export const PhoneNumber = ({ of }: { of: string }) => (
  <bdi className={`${style.number} ${style.groups}`} dir="ltr">
    {groupsOfPhone(of).map((group, index) => (
      <span key={index}>{group}</span>
    ))}
  </bdi>
)
