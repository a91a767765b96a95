import CUV
