#ifndef AGON_MATH_H
#define AGON_MATH_H
double sqrt(double x);
double fabs(double x);
double floor(double x);
double ceil(double x);
double pow(double x, double y);
#endif
